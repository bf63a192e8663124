/**
 * The names, other than functions, that a statement may contain. All others are refused. Functions and types are in
 * lower case.
 */

/**
 * Table functions that use no file and no network, and take no structure as text (its DEFAULT expressions would run).
 */
export const TABLE_FUNCTIONS = words(
  'numbers numbers_mt zeros zeros_mt generateseries generate_series primes view values',
);

/** Views with parameters (`clickhouse-schema/views`): a statement calls them like table functions. */
export const PARAMETERISED_VIEWS = words('funnel campaign_readout experiment_readout event_properties');

/** Data types with arguments; all others are plain words. */
export const PARAMETRIC_TYPES = words(`
  aggregatefunction array binary bit char character datetime datetime32 datetime64 dec decimal decimal128 decimal256
  decimal32 decimal64 dynamic enum enum16 enum8 fixed fixedstring float int json lowcardinality map nchar nullable numeric
  object qbit simpleaggregatefunction string text time time64 timestamp tuple varbinary varchar varchar2 variant varying
  bigint blob clob double int1 integer large mediumint nvarchar real signed smallint tinyint unsigned year nested
`);

/**
 * Bare words that may precede a parenthesis without calling a function, or that the parser converts to allowed calls.
 */
export const WORDS_BEFORE_PARENTHESIS = words(`
  all and any anti any apply array as asc asof between by case cast columns cross cube date_add date_sub dateadd datesub
  desc describe distinct div else end escape except exists explain extract filter final from full global group grouping
  having ilike inner interpolate intersect interval is join left like limit lateral materialized mod natural not offset on or order
  outer over overlay partition paste position prewhere qualify range regexp replace right rlike rollup rows sample select
  semi sets some substring table then ties timestamp_add timestamp_sub timestampadd timestampsub totals trim truncate
  try_cast union using when where window with within xor
`);

/** Bare words before a parenthesis in CREATE TABLE and ALTER TABLE: engines, codecs, skip indexes. */
export const WORDS_OF_TABLE_DEFINITIONS = words(`
  add alias assume bloom_filter check codec comment default delta doubledelta ephemeral gcd gorilla index key lz4 lz4hc
  materialized minmax ngrambf_v1 none primary projection set settings t64 tokenbf_v1 ttl zstd
  mergetree replacingmergetree summingmergetree aggregatingmergetree collapsingmergetree versionedcollapsingmergetree
  coalescingmergetree
`);

/** Table engines that store rows in the data directory, or not at all. */
export const TABLE_ENGINES = words(`
  mergetree replacingmergetree summingmergetree aggregatingmergetree collapsingmergetree versionedcollapsingmergetree
  coalescingmergetree memory null
`);

/** Databases that a reader may name besides the service's database. */
export const SHARED_DATABASES = words('default system information_schema');

/** Tables of `system` that describe data, types and names to readers and their clients. */
export const SYSTEM_TABLES = words(`
  aggregate_function_combinators build_options collations columns completions contributors current_roles
  data_skipping_indices data_type_families database_engines databases enabled_roles formats functions keywords licenses
  merge_tree_settings numbers numbers_mt one parts parts_columns primes projections settings table_engines
  clusters table_functions tables time_zones zeros zeros_mt
`);

/** Those of them that describe stored rows: counts, sizes, least and greatest values. */
export const TABLES_OF_ROWS = words('parts parts_columns projections data_skipping_indices');

/** Formats without a schema file or a template. */
export const FORMATS = words(`
  arrow arrowstream avro bsoneachrow csv csvwithnames csvwithnamesandtypes customseparated customseparatedwithnames
  customseparatedwithnamesandtypes json jsoncolumns jsoncolumnswithmetadata jsoncompact jsoncompactcolumns
  jsoncompacteachrow jsoncompacteachrowwithnames jsoncompacteachrowwithnamesandtypes jsoncompacteachrowwithprogress
  jsoncompactstrings jsoncompactstringseachrow jsoncompactstringseachrowwithnames
  jsoncompactstringseachrowwithnamesandtypes jsoncompactstringseachrowwithprogress jsoneachrow jsoneachrowwithprogress
  jsonl jsonlines jsonobjecteachrow jsonstrings jsonstringseachrow jsonstringseachrowwithprogress lineasstring
  lineasstringwithnames lineasstringwithnamesandtypes markdown md msgpack native ndjson npy null odbcdriver2 orc parquet
  pretty prettycompact prettycompactmonoblock prettycompactnoescapes prettycompactnoescapesmonoblock prettyjsoneachrow
  prettyjsonlines prettymonoblock prettyndjson prettynoescapes prettynoescapesmonoblock prettyspace prettyspacemonoblock
  prettyspacenoescapes prettyspacenoescapesmonoblock prometheus raw rawblob rawwithnames rawwithnamesandtypes rowbinary
  rowbinarywithnames rowbinarywithnamesandtypes sqlinsert tabseparated tabseparatedraw tabseparatedrawwithnames
  tabseparatedrawwithnamesandtypes tabseparatedwithnames tabseparatedwithnamesandtypes tskv tsv tsvraw tsvrawwithnames
  tsvrawwithnamesandtypes tsvwithnames tsvwithnamesandtypes values vertical xml
`);

/** Formats of inserted data. `Values` is missing, because the engine evaluates its values as expressions. */
export const INPUT_FORMATS = words(`
  csv csvwithnames jsoncompacteachrow jsoncompacteachrowwithnames jsoneachrow jsonlines native ndjson parquet rowbinary
  rowbinarywithnames rowbinarywithnamesandtypes tabseparated tabseparatedwithnames tabseparatedwithnamesandtypes tskv tsv
  tsvwithnames tsvwithnamesandtypes
`);

/** Formats of inserted data that are not lines of text. */
export const BINARY_FORMATS = words('native parquet rowbinary rowbinarywithnames rowbinarywithnamesandtypes');

function words(text: string): ReadonlySet<string> {
  const parts = text.split('\n').flatMap((line) => line.split(' '));
  return new Set(parts.filter((word) => word !== ''));
}
