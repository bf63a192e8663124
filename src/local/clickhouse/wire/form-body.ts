import { RefusedRequest } from '../../../../clickhouse-schema/queries/statements/exceptions.ts';

/*
 * Bodies of the type multipart/form-data. Clients send long parameters in this way: clickhouse-connect when they have
 * over 64 KiB, the Java client with `client.http.use_form_request_for_query`.
 */

/** The boundary of the parts; undefined if the type is another one. */
export function boundaryOf(contentType: string): string | undefined {
  const [type = '', ...attributes] = contentType.split(';').map((part) => part.trim());
  if (type.toLowerCase() !== 'multipart/form-data') return undefined;
  const found = attributes.find((attribute) => attribute.toLowerCase().startsWith('boundary='));
  const boundary = (found ?? '').slice('boundary='.length).replaceAll('"', '');
  if (boundary === '' || boundary.length > 200) throw wrong('has no boundary');
  return boundary;
}

/** The fields by name, each a text. Throws `RefusedRequest` for files: tables in requests are not supported. */
export function formFields(body: Buffer, boundary: string): Map<string, string> {
  const fields = new Map<string, string>();
  const delimiter = `--${boundary}`;
  let at = body.indexOf(delimiter);
  if (at === -1) throw wrong('does not begin with its boundary');
  for (;;) {
    at += delimiter.length;
    if (body.toString('latin1', at, at + 2) === '--') return fields;
    const head = body.indexOf('\r\n\r\n', at);
    const end = body.indexOf(`\r\n${delimiter}`, at);
    if (head === -1 || end === -1 || head + 2 > end) throw wrong('is incomplete');
    const name = nameOf(body.toString('utf8', at, head));
    // A part without content ends where its head does.
    fields.set(name, body.toString('utf8', Math.min(head + 4, end), end));
    at = end + 2;
  }
}

function nameOf(head: string): string {
  const line = head.split('\r\n').find((text) => text.toLowerCase().startsWith('content-disposition:')) ?? '';
  const attributes = line.split(';').map((part) => part.trim());
  if (attributes.some((attribute) => attribute.toLowerCase().startsWith('filename'))) {
    throw new RefusedRequest('UNSUPPORTED_METHOD', 'Tables in requests (external data) are not supported here');
  }
  const name = attributes.find((attribute) => attribute.startsWith('name='));
  if (name === undefined) throw wrong('has a part without a name');
  return name.slice('name='.length).replaceAll('"', '');
}

const wrong = (what: string): RefusedRequest =>
  new RefusedRequest('BAD_ARGUMENTS', `The body of the type multipart/form-data ${what}`);
