-- Of an entity score's pairs, those that a scheme counts as correct.
create or replace macro entity_correct(scheme, exact_same, exact_other, overlap_same) as
case scheme
    when 'strict'
    then exact_same
    when 'exact'
    then exact_same + exact_other
    when 'partial'
    then exact_same + exact_other
    when 'type'
    then exact_same + overlap_same
end
;
