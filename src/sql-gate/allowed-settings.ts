import { EVENT_QUERY_LIMITS } from '../../clickhouse-schema/queries/events/limits.ts';
import { SQL_GATE_LIMITS } from './limits.ts';
import { isZone } from './known-zones.ts';

/**
 * Settings that a reader may set in the URL or in a SETTINGS clause, each with its maximum if it has one. All others
 * are refused: some of the engine's 1,700 settings read files or remove limits.
 */
const ALLOWED: Readonly<Record<string, number | 'any' | 'zone'>> = {
  max_execution_time: SQL_GATE_LIMITS.clickhouseReaderSeconds,
  max_memory_usage: EVENT_QUERY_LIMITS.clickhouseReaderMemoryBytes,
  max_threads: EVENT_QUERY_LIMITS.clickhouseReaderThreads,
  max_result_rows: Number.MAX_SAFE_INTEGER,
  max_result_bytes: Number.MAX_SAFE_INTEGER,
  max_rows_to_read: Number.MAX_SAFE_INTEGER,
  max_bytes_to_read: Number.MAX_SAFE_INTEGER,
  max_block_size: 1_000_000,
  limit: Number.MAX_SAFE_INTEGER,
  offset: Number.MAX_SAFE_INTEGER,
  result_overflow_mode: 'any',
  read_overflow_mode: 'any',
  extremes: 'any',
  final: 'any',
  join_use_nulls: 'any',
  join_algorithm: 'any',
  group_by_use_nulls: 'any',
  transform_null_in: 'any',
  totals_mode: 'any',
  union_default_mode: 'any',
  aggregate_functions_null_for_empty: 'any',
  prefer_column_name_to_alias: 'any',
  count_distinct_implementation: 'any',
  session_timezone: 'zone',
  date_time_input_format: 'any',
  date_time_output_format: 'any',
  format_csv_delimiter: 'any',
  format_csv_null_representation: 'any',
  format_tsv_null_representation: 'any',
  output_format_json_quote_64bit_integers: 'any',
  output_format_json_quote_64bit_floats: 'any',
  output_format_json_quote_denormals: 'any',
  output_format_json_quote_decimals: 'any',
  output_format_json_escape_forward_slashes: 'any',
  output_format_json_named_tuples_as_objects: 'any',
  output_format_json_validate_utf8: 'any',
  output_format_json_map_as_array_of_tuples: 'any',
  output_format_write_statistics: 'any',
  output_format_pretty_color: 'any',
  output_format_pretty_max_rows: 'any',
  output_format_pretty_row_numbers: 'any',
  output_format_csv_crlf_end_of_line: 'any',
  output_format_tsv_crlf_end_of_line: 'any',
  output_format_decimal_trailing_zeros: 'any',
  output_format_native_encode_types_in_binary_format: 'any',
  output_format_parquet_compression_method: 'any',
  output_format_arrow_compression_method: 'any',
};

/** The settings of every reader's connection; the caller's settings are applied after them. */
export const READER_DEFAULTS: Readonly<Record<string, string>> = {
  max_execution_time: String(SQL_GATE_LIMITS.clickhouseReaderSeconds),
  max_memory_usage: String(EVENT_QUERY_LIMITS.clickhouseReaderMemoryBytes),
  max_threads: String(EVENT_QUERY_LIMITS.clickhouseReaderThreads),
  // Large sorts and aggregations use the disk before they reach the memory limit; the disk has a limit as well.
  max_bytes_before_external_group_by: String(EVENT_QUERY_LIMITS.clickhouseReaderMemoryBytes / 2),
  max_bytes_before_external_sort: String(EVENT_QUERY_LIMITS.clickhouseReaderMemoryBytes / 2),
  max_temporary_data_on_disk_size_for_query: String(SQL_GATE_LIMITS.clickhouseReaderDiskBytes),
  max_ast_elements: '50000',
  max_subquery_depth: '100',
};

/** The reason why a reader may not set `name` to this value; undefined if it may. */
export function refusedReaderSetting(name: string, value: string): string | undefined {
  const rule = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined;
  if (rule === undefined) {
    const allowed = Object.keys(ALLOWED).join(', ');
    return `Cannot modify '${name.slice(0, 100)}' setting in readonly mode. Allowed are: ${allowed}`;
  }
  if (rule === 'any') return undefined;
  // The engine looks up unknown zone names as files.
  if (rule === 'zone') return isZone(value) ? undefined : `Setting ${name} must be a time zone, as Europe/Berlin`;
  // For the engine 0 means "no limit", so a limited setting must be at least 1.
  const number = Number(value);
  const lowest = rule === Number.MAX_SAFE_INTEGER ? 0 : 1;
  if (/^\d+$/.test(value) && number >= lowest && number <= rule) return undefined;
  return `Setting ${name} must be a whole number from ${lowest} to ${rule} for read-only users`;
}

/**
 * Additional settings of the service's clients, without bounds. None of them names a file, a schema or an expression.
 */
const OF_SERVICE = new Set(
  `async_insert deduplicate_insert insert_deduplicate insert_deduplication_token insert_quorum lightweight_deletes_sync
  materialize_skip_indexes_on_insert max_bytes_before_external_group_by max_bytes_before_external_sort
  max_insert_block_size max_insert_block_size_bytes
  max_insert_threads max_partitions_per_insert_block min_insert_block_size_bytes min_insert_block_size_rows mutations_sync
  alter_sync optimize_on_insert readonly wait_for_async_insert wait_end_of_query input_format_parallel_parsing
  input_format_null_as_default input_format_skip_unknown_fields input_format_defaults_for_omitted_fields
  max_compress_block_size max_query_size max_ast_elements max_temporary_data_on_disk_size_for_query`.split(/\s+/),
);

/** The reason why the service may not use this setting; undefined if it may. */
export function refusedServiceSetting(name: string, value: string): string | undefined {
  if (OF_SERVICE.has(name)) return undefined;
  const rule = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined;
  if (rule === undefined) return `The setting ${name.slice(0, 100)} is not allowed`;
  return rule === 'zone' && !isZone(value) ? `Setting ${name} must be a time zone, as Europe/Berlin` : undefined;
}

/** Settings of tables; none of them stores data elsewhere. */
const OF_TABLES = new Set(
  `allow_nullable_key deduplicate_merge_projection_mode enable_mixed_granularity_parts fsync_after_insert fsync_part_directory
  index_granularity index_granularity_bytes lightweight_mutation_projection_mode materialize_projections_on_insert
  materialize_projections_on_merge max_bytes_to_merge_at_max_space_in_pool max_parts_in_total
  max_suspicious_broken_parts merge_max_block_size merge_with_ttl_timeout min_age_to_force_merge_seconds
  min_bytes_for_wide_part min_rows_for_wide_part non_replicated_deduplication_window old_parts_lifetime
  parts_to_delay_insert parts_to_throw_insert ttl_only_drop_parts`.split(/\s+/),
);

/**
 * The reason why a table may not have this setting; undefined if it may. Statements that change tables may also use the
 * service's settings.
 */
export function refusedTableSetting(name: string, value: string): string | undefined {
  return OF_TABLES.has(name) ? undefined : refusedServiceSetting(name, value);
}
