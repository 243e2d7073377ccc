-- An interval of a row's wire text and the passage interval it stands for. What no line covers is scaffold.
-- Grain: (row_id, interval_index).
create table contracts.alignments (
    row_id varchar not null,  -- the text
    interval_index bigint not null,  -- order on the wire, from 0
    value_index bigint,  -- which value of the carrier it belongs to; null for a lookalike, and for what was lost between two values
    wire_start bigint not null check (wire_start >= 0),  -- first code point in the row's text
    wire_end bigint not null check (wire_end >= wire_start),  -- behind the last; equal to wire_start for what was lost
    passage_start bigint,  -- first code point in the passage; null for a lookalike
    passage_end bigint,  -- behind the last; null for a lookalike
    kind varchar not null check (kind in ('copied', 'escaped', 'changed', 'lost', 'lookalike')),  -- what the carrier did
)
