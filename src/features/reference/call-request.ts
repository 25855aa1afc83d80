import type { ApiCall } from '@/lib/curl-command';
import type { Translate } from '@/lib/i18n/translator';
import type { Call } from './api-document';

/** What was typed for a call: values of parameters by place and name, and the body. */
export type Draft = { values: Record<string, string>; body: string };

export const valueKey = (place: string, name: string) => `${place}.${name}`;

/** What the form starts with: the examples of what has to be given. */
export function createCallDraft(call: Call): Draft {
  const values = Object.fromEntries(
    (call.parameters ?? []).flatMap((parameter) =>
      parameter.in !== 'path' && parameter.example !== undefined
        ? [[valueKey(parameter.in, parameter.name), String(parameter.example)]]
        : [],
    ),
  );
  const example = call.requestBody?.content['application/json']?.example;
  return { values, body: example === undefined ? '' : JSON.stringify(example, null, 2) };
}

/** Why the call cannot be sent as it is; null when it can. */
export function findCallProblem(t: Translate, call: Call, { values, body }: Draft): string | null {
  const missing = (call.parameters ?? []).find(
    (parameter) => parameter.required && !values[valueKey(parameter.in, parameter.name)]?.trim(),
  );
  if (missing) return t('Enter a value for {field}.', { field: missing.name });
  if (!call.requestBody || body.trim() === '') return call.requestBody?.required ? t('Enter a request body.') : null;
  try {
    JSON.parse(body);
    return null;
  } catch {
    return t('The body is not valid JSON.');
  }
}

/** The call with what was typed; empty parameters are left out. */
export function buildApiCall(call: Call, { values, body }: Draft): ApiCall {
  const given = (place: string) =>
    (call.parameters ?? []).flatMap((parameter) => {
      const value = parameter.in === place ? (values[valueKey(place, parameter.name)]?.trim() ?? '') : '';
      return value === '' ? [] : [[parameter.name, value] as [string, string]];
    });
  const inPath = new Map(given('path'));
  const path = call.path.replace(/\{([^}]*)\}/g, (whole, name: string) => {
    const value = inPath.get(name);
    return value === undefined ? whole : encodeURIComponent(value);
  });
  const query = new URLSearchParams(given('query')).toString();
  const headers = Object.fromEntries(given('header'));
  const text = call.requestBody ? body.trim() : '';
  return {
    method: call.method,
    path: query === '' ? path : `${path}?${query}`,
    ...(text !== '' && { body: text }),
    ...(Object.keys(headers).length > 0 && { headers }),
  };
}
