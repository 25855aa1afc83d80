import { ERROR_STATUS, type ErrorCode } from '../../lib/errors';
import { PROBLEM_TITLES } from '../problem';
import type { JsonSchema } from './create-example';

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

/** RFC 9457, the format of every error of the service. */
export const PROBLEM_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'Every error, as defined in RFC 9457. Some errors have additional fields.',
  properties: {
    type: { type: 'string', description: '`urn:fabric:problem:` followed by the code.' },
    title: { type: 'string' },
    status: { type: 'integer' },
    code: { type: 'string', enum: CODES },
    detail: { type: 'string', description: 'What failed and how to fix it.' },
    errors: {
      type: 'array',
      description: 'The invalid fields of the request.',
      items: {
        type: 'object',
        properties: { field: { type: 'string' }, message: { type: 'string' } },
        required: ['field', 'message'],
        additionalProperties: false,
      },
    },
    retry_after: { type: 'integer', description: 'Seconds to wait before the next attempt.' },
    request_id: { type: 'string', description: 'Identifies the request in the logs.' },
  },
  required: ['type', 'title', 'status', 'code', 'detail', 'request_id'],
};

const DETAIL: Partial<Record<number, string>> = {
  400: 'The request has invalid or missing fields.',
  401: 'Sign in to continue.',
  403: 'This requires the permission policy:write. Ask an administrator for a role that includes it.',
  404: 'This path does not exist.',
  409: 'The name already exists.',
  413: 'The request body is larger than the maximum of 16 MB. Send it in smaller parts.',
  415: 'Send the body as application/json.',
  422: 'The policy is in audit mode: nothing is applied.',
  429: 'Too many attempts. Wait a minute.',
  500: 'Internal server error. Search the server log for the request ID.',
  502: 'The cluster rejected the token. Check its privileges.',
  503: 'The database is not available. Try again in a moment.',
  504: 'The cluster did not respond in time. Check that it is reachable.',
};

/** The schema name of an error status in the document: `Problem404`. */
export const problemName = (status: number) => `Problem${status}`;

/** One response per error status that operations name. */
export function problemResponses(named: Iterable<number>): Record<string, object> {
  const statuses = [...new Set(named)].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const codes = CODES.filter((code) => ERROR_STATUS[code] === status);
      const [code = 'internal'] = codes;
      const title = PROBLEM_TITLES[code];
      const example = {
        type: `urn:fabric:problem:${code.replaceAll('_', '-')}`,
        title,
        status,
        code,
        detail: DETAIL[status] ?? `${title}.`,
        ...(status === 400 && { errors: [{ field: 'name', message: 'Missing. Send a string.' }] }),
        request_id: '01980000-0000-7000-8000-000000000002',
      };
      const content = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' }, example } };
      const waits = status === 429 || status === 503;
      const retry = { description: 'Seconds to wait.', schema: { type: 'integer' } };
      return [
        problemName(status),
        {
          description: `${title} (\`${codes.join('`, `')}\`).`,
          ...(waits && { headers: { 'Retry-After': retry } }),
          content,
        },
      ];
    }),
  );
}
