-- Typed exact spans, leaks and coverage of a run on one label in a slice of a corpus, in each design that it was
-- asked. A label has a line where the slice has a gold or a predicted span of it.
-- Kept: one file a run.
-- Grain: (run_id, design, corpus, slice_by, slice, label).
select
    run_id,  -- the run
    design,  -- the design; null where all rows count
    is_ranked,  -- whether it is the one that ranks; else that of whole documents
    is_reported,  -- whether it is of whole documents or, where the run has none, of the design that ranks
    corpus,  -- the corpus
    slice_by,  -- all, carrier, language or a column of the corpus
    slice,  -- which one
    label,  -- our type, or what corpus or detector calls it where there is none
    is_high_severity,  -- whether the type is a secret, a government identifier or a payment
    gold,  -- gold spans
    pred,  -- predicted spans, where the corpus annotates the label
    tp,  -- of `pred`, those that are a gold span: same type, start and end; null, with all below that rests on it, where the run's labels mean nothing to us
    pred - tp as fp,  -- of `pred`, the others
    gold - tp as fn,  -- of `gold`, the others
    metrics.precision(tp, pred - tp) as precision,  -- tp of pred
    metrics.recall(tp, gold - tp) as recall,  -- tp of gold
    metrics.f1(tp, pred - tp, gold - tp) as f1,  -- their harmonic mean
    metrics.f2(tp, pred - tp, gold - tp) as f2,  -- with recall twice as heavy
    leaked as leak,  -- gold spans of high severity of which nothing is predicted
    exposed,  -- gold spans of high severity with a character left readable
    contained,  -- gold spans that one prediction holds whole
    covered,  -- gold spans that all predictions together cover
    touched,  -- gold spans of which anything is predicted
    missed,  -- gold spans of which nothing is predicted
    exposed_chars,  -- characters of gold spans left readable
    n_out_of_scope,  -- predicted spans of a type that the corpus does not annotate
    n_unmapped,  -- predicted spans whose label the map does not name
    n_ignored,  -- predicted spans whose label the map ignores
    n_left_out  -- predicted spans on a lookalike and on no gold
from intermediate.typed_sums
