/** What ClickHouse stores of a session's device. A field is absent if it is unknown. */
export interface PlayedWith {
  platform?: string;
  appVersion?: string;
}
