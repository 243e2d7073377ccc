-- A run's corpora side by side, as typed exact spans, and how far each is from its best: two corpora are two
-- measurements,
-- and the gap between them is what an average would hide. On whole documents where the run answered those.
-- Parameters: run.
-- Grain: (corpus).
select
    corpus,  -- the corpus
    design,  -- the design; null where all rows count
    docs,  -- documents
    gold,  -- gold spans of the types that the corpus annotates
    pred,  -- predicted spans of those types
    tp,  -- of `pred`, those that are a gold span: same type, start and end
    precision,  -- tp of pred
    recall,  -- tp of gold
    f1,  -- their harmonic mean
    f2,  -- with recall twice as heavy
    leak,  -- gold spans of high severity of which nothing is predicted
    f1 - max(f1) over () as f1_gap  -- difference of F1 to the corpus where the run is best
from marts.typed_scores
where run_id = $run and is_reported and slice_by = 'all'
order by f1 desc nulls last, corpus
