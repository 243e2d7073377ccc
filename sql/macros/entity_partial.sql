-- Of an entity score's pairs, those that a scheme counts as half correct.
create or replace macro entity_partial(scheme, overlap_same, overlap_other) as
case when scheme = 'partial' then overlap_same + overlap_other else 0 end
;
