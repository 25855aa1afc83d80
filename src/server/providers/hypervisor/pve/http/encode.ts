import { ProviderError } from '../../errors';

export type ParamValue = string | number | boolean | readonly (string | number)[] | undefined;
export type Params = Readonly<Record<string, ParamValue>>;

declare const encoded: unique symbol;
/** A path below `/api2/json` whose variable parts are percent-encoded. Only `apiPath` makes one. */
export type ApiPath = string & { readonly [encoded]: true };

/** Template for paths: every value becomes exactly one path segment, whatever it holds. */
export function apiPath(strings: TemplateStringsArray, ...values: (string | number)[]): ApiPath {
  const parts = values.map((value, i) => {
    const segment = encodeURIComponent(value);
    // `.` and `..` survive encoding and would climb.
    if (segment === '' || segment === '.' || segment === '..') throw new Error(`expected a path segment, not ${value}`);
    return `${segment}${strings[i + 1] ?? ''}`;
  });
  return `${strings[0] ?? ''}${parts.join('')}` as ApiPath;
}

/**
 * Form encoding as the API reads it: booleans as 1 and 0, lists joined with commas, undefined left out. `;` separates
 * pairs there just as `&` does, so it must be encoded, which `encodeURIComponent` does.
 */
export function encodeParams(params: Params = {}): string {
  const pairs: string[] = [];
  for (const [key, value] of Object.entries(params)) {
    if (value === undefined) continue;
    const text =
      typeof value === 'boolean' ? (value ? '1' : '0') : Array.isArray(value) ? value.join(',') : String(value);
    pairs.push(`${encodeURIComponent(key)}=${encodeURIComponent(text)}`);
  }
  return pairs.join('&');
}

/** `user@realm!name=secret`; the split between id and secret is at the last `=`. */
const TOKEN = /^(?<id>[^\s:/]+@[A-Za-z][A-Za-z0-9._-]+![A-Za-z][A-Za-z0-9._-]+)=(?<secret>[^\s=]+)$/u;

/** The server cuts the value at `;` and percent-decodes it; header values must be ASCII. */
const encode = (text: string) => text.replace(/[%;]|[^\x21-\x7e]/gu, encodeURIComponent);

/**
 * The value of the Authorization header for an API token.
 * @throws ProviderError `unauthorized` when the token does not have the form of one; the secret is not repeated.
 */
export function tokenHeader(apiToken: string): string {
  const groups = TOKEN.exec(apiToken.trim())?.groups;
  if (!groups?.id || !groups.secret) {
    throw new ProviderError(
      'unauthorized',
      'The API token does not have the form user@realm!name=secret',
      'Copy the token ID and its secret from Datacenter → Permissions → API Tokens and join them with an equals sign.',
    );
  }
  return `PVEAPIToken=${encode(groups.id)}=${encode(groups.secret)}`;
}
