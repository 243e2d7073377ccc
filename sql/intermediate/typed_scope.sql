-- A label that the annotation of a corpus has, so that a prediction of it can be right or wrong there.
-- Grain: (corpus, label).
select distinct
    corpus,  -- the corpus
    label  -- our type, or what the corpus calls it where there is none
from staging.source_labels
where is_in_scope
