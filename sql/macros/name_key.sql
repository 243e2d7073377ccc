-- A stable 32-bit key of a name: the first eight hexadecimal digits of its MD5.
create or replace macro name_key(name) as ('0x' || left(md5(name), 8))::bigint
;
