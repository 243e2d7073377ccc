-- Mean of the first value minus the second over the positions where both are there.
create or replace macro paired_difference(first_value, second_value, position) as
mean_of(case when second_value is not null then first_value end, position)
- mean_of(case when first_value is not null then second_value end, position)
;
