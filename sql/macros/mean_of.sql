-- Mean of the values that there are, added up in the order of `position`, so that its last digit never depends on
-- threads.
create or replace macro mean_of(value, position) as list_avg(list(value order by position) filter (where value is not null))
;
