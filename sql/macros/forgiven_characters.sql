-- The characters that TAB's metrics forgive when they stay readable, as they stand between the brackets of a regular
-- expression.
create or replace macro forgiven_characters() as ' ,.:;/&()\[\]–''"’“”-'
;
