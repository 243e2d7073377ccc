-- Spans of one label in a row for a run: the only input of every typed score. A row with none has no line.
-- Coverage is by predictions of whatever label.
-- Kept: one file a run.
-- Grain: (run_id, row_id, label).
with
    gold as (
        select
            coverage.run_key,
            coverage.row_key,
            spans.label,
            count(*) as gold,
            count(*) filter (where spans.is_high_severity and not coverage.is_overlapped) as leaked,
            count(*) filter (where spans.is_high_severity and coverage.exposed_chars > 0) as exposed,
            count(*) filter (where coverage.is_contained) as contained,
            count(*) filter (where coverage.exposed_chars = 0) as covered,
            count(*) filter (where coverage.is_overlapped) as touched,
            count(*) filter (where not coverage.is_overlapped) as missed,
            sum(coverage.exposed_chars) as exposed_chars
        from intermediate.gold_coverage as coverage
        inner join intermediate.typed_gold as spans on coverage.gold_key = spans.gold_key
        group by coverage.run_key, coverage.row_key, spans.label
    ),
    beside as (select pred_key from intermediate.lookalike_preds),
    on_gold as (select pred_key from intermediate.span_overlaps),
    predictions as (
        select
            spans.run_key,
            spans.row_key,
            spans.label,
            case
                when spans.is_ignored
                then 'ignored'
                when
                    spans.pred_key in (select beside.pred_key from beside)
                    and spans.pred_key not in (select on_gold.pred_key from on_gold)
                then 'left_out'
                when scope.label is not null
                then 'in_scope'
                when taxonomy.type is not null
                then 'out_of_scope'
                else 'unmapped'
            end as kind,
            gold.gold_key is not null as is_hit
        from intermediate.typed_pred as spans
        inner join staging.all_rows as rows on spans.row_key = rows.row_key
        left join intermediate.typed_scope as scope on rows.corpus = scope.corpus and spans.label = scope.label
        left join staging.taxonomy as taxonomy on spans.label = taxonomy.type
        left join
            intermediate.typed_gold as gold
            on spans.row_key = gold.row_key
            and spans.start_char = gold.start_char
            and spans.end_char = gold.end_char
            and spans.label = gold.label
    ),
    pred as (
        select
            run_key,
            row_key,
            label,
            count(*) filter (where kind = 'in_scope') as pred,
            count(*) filter (where kind = 'in_scope' and is_hit) as tp,
            count(*) filter (where kind = 'out_of_scope') as n_out_of_scope,
            count(*) filter (where kind = 'unmapped') as n_unmapped,
            count(*) filter (where kind = 'ignored') as n_ignored,
            count(*) filter (where kind = 'left_out') as n_left_out
        from predictions
        group by run_key, row_key, label
    ),
    counts as (
        select
            * exclude (gold.run_key, gold.row_key, gold.label, pred.run_key, pred.row_key, pred.label),
            coalesce(gold.run_key, pred.run_key) as run_key,
            coalesce(gold.row_key, pred.row_key) as row_key,
            coalesce(gold.label, pred.label) as label
        from gold
        full join pred on gold.run_key = pred.run_key and gold.row_key = pred.row_key and gold.label = pred.label
    )

select
    runs.run_id,  -- the run
    rows.row_id,  -- the text
    counts.label,  -- our type, or what corpus or detector calls it where there is none
    coalesce(taxonomy.severity = 'high', false) as is_high_severity,  -- whether the type is a secret, a government identifier or a payment
    coalesce(counts.gold, 0)::bigint as gold,  -- gold spans
    coalesce(counts.pred, 0)::bigint as pred,  -- predicted spans, where the corpus annotates the label
    coalesce(counts.tp, 0)::bigint as tp,  -- of `pred`, those that are a gold span to the character
    coalesce(counts.leaked, 0)::bigint as leaked,  -- gold spans of high severity of which nothing is predicted
    coalesce(counts.exposed, 0)::bigint as exposed,  -- gold spans of high severity with a character left readable
    coalesce(counts.contained, 0)::bigint as contained,  -- gold spans that one prediction holds whole
    coalesce(counts.covered, 0)::bigint as covered,  -- gold spans that all predictions together cover
    coalesce(counts.touched, 0)::bigint as touched,  -- gold spans of which anything is predicted
    coalesce(counts.missed, 0)::bigint as missed,  -- gold spans of which nothing is predicted
    coalesce(counts.exposed_chars, 0)::bigint as exposed_chars,  -- characters of gold spans left readable
    coalesce(counts.n_out_of_scope, 0)::bigint as n_out_of_scope,  -- predicted spans of a type that the corpus does not annotate
    coalesce(counts.n_unmapped, 0)::bigint as n_unmapped,  -- predicted spans whose label the map does not name
    coalesce(counts.n_ignored, 0)::bigint as n_ignored,  -- predicted spans whose label the map ignores
    coalesce(counts.n_left_out, 0)::bigint as n_left_out  -- predicted spans on a lookalike and on no gold
from counts
inner join staging.runs as runs on counts.run_key = runs.run_key
inner join staging.all_rows as rows on counts.row_key = rows.row_key
left join staging.taxonomy as taxonomy on counts.label = taxonomy.type
