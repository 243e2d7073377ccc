-- Entities of the units that a bootstrap replicate draws in one stratum, eight columns side by side as in
-- `entity_lanes`.
-- Grain: (lane_block, replicate_key).
select
    lanes.lane_block,  -- eight columns
    draws.replicate_key,  -- a replicate in a stratum, as in `draws`
    sum(draws.n_drawn * lanes.pairs_0)::bigint as pairs_0,  -- pairs of the block's first column: with the same boundaries, with others
    sum(draws.n_drawn * lanes.pairs_1)::bigint as pairs_1,  -- of the second
    sum(draws.n_drawn * lanes.pairs_2)::bigint as pairs_2,  -- of the third
    sum(draws.n_drawn * lanes.pairs_3)::bigint as pairs_3,  -- of the fourth
    sum(draws.n_drawn * lanes.pairs_4)::bigint as pairs_4,  -- of the fifth
    sum(draws.n_drawn * lanes.pairs_5)::bigint as pairs_5,  -- of the sixth
    sum(draws.n_drawn * lanes.pairs_6)::bigint as pairs_6,  -- of the seventh
    sum(draws.n_drawn * lanes.pairs_7)::bigint as pairs_7,  -- of the eighth
    sum(draws.n_drawn * lanes.spans_0_1)::bigint as spans_0_1,  -- gold and predicted spans of the first column, of the second
    sum(draws.n_drawn * lanes.spans_2_3)::bigint as spans_2_3,  -- of the third, of the fourth
    sum(draws.n_drawn * lanes.spans_4_5)::bigint as spans_4_5,  -- of the fifth, of the sixth
    sum(draws.n_drawn * lanes.spans_6_7)::bigint as spans_6_7  -- of the seventh, of the eighth
from intermediate.draws as draws
inner join intermediate.entity_lanes as lanes on draws.unit_key = lanes.unit_key
group by lanes.lane_block, draws.replicate_key
