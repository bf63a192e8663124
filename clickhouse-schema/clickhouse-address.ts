import { readFileSync } from 'node:fs';

/** Where a ClickHouse is and who we are there. */
export interface ClickhouseAddress {
  /** `http://host:port` or `https://host:port`. */
  url: string;
  user: string;
  password: string;
  database: string;
  /** Absent: the certificate of an https server must be of an authority that Node trusts. */
  tls?: ClickhouseTls;
}

/** Files in PEM. */
export interface ClickhouseTls {
  caFile: string;
  certFile?: string;
  keyFile?: string;
}

/** Their contents. Throws if a file cannot be read. */
export function certificatesOf({ caFile, certFile, keyFile }: ClickhouseTls) {
  const ca = readFileSync(caFile);
  return certFile === undefined || keyFile === undefined
    ? { ca }
    : { ca, cert: readFileSync(certFile), key: readFileSync(keyFile) };
}
