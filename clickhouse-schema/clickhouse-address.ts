/** Where a ClickHouse is and who we are there. */
export interface ClickhouseAddress {
  /** `http://host:port` or `https://host:port`. */
  url: string;
  user: string;
  password: string;
  database: string;
}
