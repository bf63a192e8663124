import { EVENT_QUERY_LIMITS } from '../../clickhouse-schema/queries/events/limits.ts';
import { SQL_GATE_LIMITS } from './limits.ts';
import { isZone } from './known-zones.ts';

/** What happens to a setting that a reader sends, in the URL or in a SETTINGS clause. */
export type SettingPolicy =
  /** The engine gets the value as it is. */
  | { kind: 'accepted' }
  /** A whole number that is at least 1: a larger one, and 0, which is "no limit" to the engine, count as `most`. */
  | { kind: 'bounded'; most: number }
  /** A whole number. */
  | { kind: 'number' }
  /** The name of a time zone. The engine looks up unknown names as files. */
  | { kind: 'zone' }
  /** The setting is dropped, because it changes no answer to a reader. */
  | { kind: 'ignored' };

const bounded = (most: number): SettingPolicy => ({ kind: 'bounded', most });

/** All settings that a reader may send. Of the engine's other 1,700 some read files or lift limits. */
export const READER_SETTINGS: Readonly<Record<string, SettingPolicy>> = {
  max_execution_time: bounded(SQL_GATE_LIMITS.clickhouseReaderSeconds),
  max_memory_usage: bounded(EVENT_QUERY_LIMITS.clickhouseReaderMemoryBytes),
  max_threads: bounded(EVENT_QUERY_LIMITS.clickhouseReaderThreads),
  max_block_size: bounded(1_000_000),
  ...all(
    { kind: 'number' },
    'max_result_rows max_result_bytes max_rows_to_read max_bytes_to_read max_rows_in_join max_bytes_in_join limit offset',
  ),
  session_timezone: { kind: 'zone' },
  ...all(
    { kind: 'accepted' },
    `result_overflow_mode read_overflow_mode timeout_overflow_mode join_overflow_mode extremes final join_use_nulls
    join_algorithm group_by_use_nulls transform_null_in totals_mode union_default_mode
    aggregate_functions_null_for_empty prefer_column_name_to_alias count_distinct_implementation
    cast_string_to_dynamic_use_inference date_time_input_format date_time_output_format
    bool_true_representation bool_false_representation format_csv_delimiter format_csv_null_representation
    format_tsv_null_representation output_format_json_quote_64bit_integers output_format_json_quote_64bit_floats
    output_format_json_quote_denormals output_format_json_quote_decimals output_format_json_escape_forward_slashes
    output_format_json_named_tuples_as_objects output_format_json_validate_utf8
    output_format_json_map_as_array_of_tuples output_format_write_statistics output_format_pretty_color
    output_format_pretty_max_rows output_format_pretty_row_numbers output_format_csv_crlf_end_of_line
    output_format_tsv_crlf_end_of_line output_format_decimal_trailing_zeros
    output_format_native_encode_types_in_binary_format output_format_native_write_json_as_string
    output_format_binary_write_json_as_string output_format_parquet_compression_method
    output_format_parquet_string_as_string output_format_arrow_compression_method output_format_arrow_string_as_string
    output_format_arrow_low_cardinality_as_dictionary`,
  ),
  ...all(
    { kind: 'ignored' },
    `readonly async_insert wait_for_async_insert insert_deduplicate mutations_sync log_comment log_queries
    log_query_threads log_profile_events priority load_balancing select_sequential_consistency
    connect_timeout receive_timeout send_timeout http_connection_timeout http_receive_timeout http_send_timeout
    http_zlib_compression_level enable_http_compression send_progress_in_http_headers
    http_headers_progress_interval_ms cancel_http_readonly_queries_on_client_close add_http_cors_header
    http_response_headers http_write_exception_in_output_format wait_end_of_query buffer_size
    network_compression_method network_zstd_compression_level use_query_cache query_cache_ttl`,
  ),
};

function all(policy: SettingPolicy, names: string): Record<string, SettingPolicy> {
  return Object.fromEntries(names.split(/\s+/).map((name) => [name, policy]));
}

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

/** The value that the engine gets, `undefined` for a setting that is dropped, or the reason for a refusal. */
export type SettingVerdict = { kind: 'set'; value: string | undefined } | { kind: 'refused'; why: string };

export function readerSetting(name: string, value: string): SettingVerdict {
  const policy = Object.hasOwn(READER_SETTINGS, name) ? READER_SETTINGS[name] : undefined;
  switch (policy?.kind) {
    case undefined:
      return refused(
        `Cannot modify '${name.slice(0, 100)}' setting in readonly mode. docs/sql.md lists the settings that readers ` +
          'may send',
      );
    case 'accepted':
      return set(value);
    case 'ignored':
      return set(undefined);
    case 'zone':
      return zone(name, value);
    case 'number':
    case 'bounded': {
      if (!/^\d{1,20}$/.test(value)) return refused(`Setting ${name} must be a whole number`);
      const most = policy.kind === 'bounded' ? policy.most : Number.MAX_SAFE_INTEGER;
      const isUnlimited = policy.kind === 'bounded' && Number(value) === 0;
      return set(isUnlimited || Number(value) > most ? String(most) : value);
    }
  }
}

const set = (value: string | undefined): SettingVerdict => ({ kind: 'set', value });
const refused = (why: string): SettingVerdict => ({ kind: 'refused', why });

function zone(name: string, value: string): SettingVerdict {
  return isZone(value) ? set(value) : refused(`Setting ${name} must be a time zone, as Europe/Berlin`);
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

export function serviceSetting(name: string, value: string): SettingVerdict {
  if (OF_SERVICE.has(name)) return set(value);
  const policy = Object.hasOwn(READER_SETTINGS, name) ? READER_SETTINGS[name] : undefined;
  if (policy === undefined) return refused(`The setting ${name.slice(0, 100)} is not allowed`);
  return policy.kind === 'zone' ? zone(name, value) : set(value);
}

/** Settings of tables; none of them stores data elsewhere. */
const OF_TABLES = new Set(
  `allow_nullable_key deduplicate_merge_projection_mode default_compression_codec enable_mixed_granularity_parts
  fsync_after_insert fsync_part_directory
  index_granularity index_granularity_bytes lightweight_mutation_projection_mode materialize_projections_on_insert
  materialize_projections_on_merge max_bytes_to_merge_at_max_space_in_pool max_parts_in_total
  max_suspicious_broken_parts merge_max_block_size merge_with_ttl_timeout min_age_to_force_merge_seconds
  min_bytes_for_wide_part min_rows_for_wide_part non_replicated_deduplication_window old_parts_lifetime
  parts_to_delay_insert parts_to_throw_insert ttl_only_drop_parts`.split(/\s+/),
);

/** Statements that change tables may also use the service's settings. */
export function tableSetting(name: string, value: string): SettingVerdict {
  return OF_TABLES.has(name) ? set(value) : serviceSetting(name, value);
}
