-- A type of personal data and how it counts.
-- Grain: (type).
select
    type,  -- our name for it
    bit,  -- its place in a bit mask
    role,  -- scored, excluded or ignored
    severity,  -- high, medium or low
    has_fixed_format,  -- whether a regular expression resolves it
    description  -- what it covers
from contracts.taxonomy
