-- What becomes of each label of a source: what the label map does to it or, in a rows file of one's own, the file; of
-- mentions that were judged to need no masking, that they are ignored.
-- Grain: (source, corpus, source_label, role).
select
    source,  -- the source
    corpus,  -- its corpus
    source_label,  -- what it calls something
    n_spans,  -- spans of that label, in the whole source where a build has read it
    type,  -- our type, `ignored`, or null where the map does not name the label
    role,  -- scored, excluded, ignored or unknown
    reason  -- why, where the map or a judgement says it
from staging.source_labels
