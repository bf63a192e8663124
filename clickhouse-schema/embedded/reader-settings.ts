import { LIMITS } from '../../src/kernel/limits.ts';

/**
 * Settings a read-only caller may give in the URL, each with its largest value where it has one. Everything else is
 * refused, as among the engine's 1,700 settings are ones that read files and ones that lift the caps.
 */
const ALLOWED: Readonly<Record<string, number | 'any'>> = {
  max_execution_time: LIMITS.clickhouseReaderSeconds,
  max_memory_usage: LIMITS.clickhouseReaderMemoryBytes,
  max_threads: LIMITS.clickhouseReaderThreads,
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
  session_timezone: 'any',
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

/** What every read-only connection starts with; a caller's own settings come after it. */
export const READER_DEFAULTS: Readonly<Record<string, string>> = {
  max_execution_time: String(LIMITS.clickhouseReaderSeconds),
  max_memory_usage: String(LIMITS.clickhouseReaderMemoryBytes),
  max_threads: String(LIMITS.clickhouseReaderThreads),
  // Big sorts and aggregations go to disk before they meet the memory cap, and the disk has one too.
  max_bytes_before_external_group_by: String(LIMITS.clickhouseReaderMemoryBytes / 2),
  max_bytes_before_external_sort: String(LIMITS.clickhouseReaderMemoryBytes / 2),
  max_temporary_data_on_disk_size_for_query: String(LIMITS.clickhouseReaderDiskBytes),
  max_ast_elements: '50000',
  max_subquery_depth: '100',
};

/** Why a reader may not give `name` this value, or undefined when it may. */
export function refusedSetting(name: string, value: string): string | undefined {
  const rule = Object.hasOwn(ALLOWED, name) ? ALLOWED[name] : undefined;
  if (rule === undefined) return `Cannot modify '${name}' setting in readonly mode`;
  if (rule === 'any') return undefined;
  // The caps are ceilings and 0 means "none" to the engine, so a cap wants a number from 1 up to it.
  const number = Number(value);
  const lowest = rule === Number.MAX_SAFE_INTEGER ? 0 : 1;
  if (/^\d+$/.test(value) && number >= lowest && number <= rule) return undefined;
  return `Setting ${name} must be a whole number from ${lowest} to ${rule} for read-only users`;
}
