-- Typed exact spans, leaks and coverage of a run on one label in a slice of a corpus, in each design that it was
-- asked. A label has a line where the slice has a gold or a predicted span of it.
-- Kept: one file a run.
-- Grain: (run_id, design, corpus, slice_by, slice, label).
select
    runs.run_id,  -- the run
    slices.design,  -- the design; null where all rows count
    slices.is_ranked,  -- whether it is the one that ranks; else that of whole documents
    asked.is_reported,  -- whether it is of the design of whole documents or, where the run has none, of the one that ranks
    slices.corpus,  -- the corpus
    slices.slice_by,  -- all, carrier, language or a column of the corpus
    slices.slice,  -- which one
    sums.label,  -- our type, or what corpus or detector calls it where there is none
    sums.is_high_severity,  -- whether the type is a secret, a government identifier or a payment
    sums.gold,  -- gold spans
    sums.pred,  -- predicted spans, where the corpus annotates the label
    sums.tp,  -- of `pred`, those that are a gold span: same type, start and end
    sums.pred - sums.tp as fp,  -- of `pred`, the others
    sums.gold - sums.tp as fn,  -- of `gold`, the others
    metrics.precision(sums.tp, sums.pred - sums.tp) as precision,  -- tp of pred
    metrics.recall(sums.tp, sums.gold - sums.tp) as recall,  -- tp of gold
    metrics.f1(sums.tp, sums.pred - sums.tp, sums.gold - sums.tp) as f1,  -- their harmonic mean
    metrics.f2(sums.tp, sums.pred - sums.tp, sums.gold - sums.tp) as f2,  -- with recall twice as heavy
    sums.leaked as leak,  -- gold spans of high severity of which nothing is predicted
    sums.exposed,  -- gold spans of high severity with a character left readable
    sums.contained,  -- gold spans that one prediction holds whole
    sums.covered,  -- gold spans that all predictions together cover
    sums.touched,  -- gold spans of which anything is predicted
    sums.missed,  -- gold spans of which nothing is predicted
    sums.exposed_chars,  -- characters of gold spans left readable
    sums.n_out_of_scope,  -- predicted spans of a type that the corpus does not annotate
    sums.n_unmapped,  -- predicted spans whose label the map does not name
    sums.n_ignored  -- predicted spans whose label the map ignores
from intermediate.typed_sums as sums
inner join intermediate.slice_runs as asked on sums.run_key = asked.run_key and sums.slice_key = asked.slice_key
inner join intermediate.slices as slices on sums.slice_key = slices.slice_key
inner join staging.runs as runs on sums.run_key = runs.run_key
where asked.is_asked
