import { describe, expect, it } from 'vitest';
import { english } from '@/lib/i18n/translator';
import { apiDocument } from '@/server/rest/openapi/api-document';
import { routes } from '@/server/rest/routes';
import { type ApiDocument, listCalls, resolveResponse, searchCalls, typeText } from './api-document';
import { buildApiCall, createCallDraft, findCallProblem, valueKey } from './call-request';
import { codeSample, LANGUAGES } from './code-samples';

const document = apiDocument(routes) as unknown as ApiDocument;
const calls = listCalls(document);
const call = (method: string, path: string) => {
  const found = calls.find((one) => one.method === method && one.path === path);
  if (!found) throw new Error(`no ${method} ${path}`);
  return found;
};

describe('the reference', () => {
  it('lists every call and finds by words', () => {
    expect(calls).toHaveLength(routes.length);
    expect(searchCalls(calls, 'post policies apply').map(({ path }) => path)).toContain('/policies/{policy_id}/apply');
    expect(searchCalls(calls, 'no such words')).toEqual([]);
  });

  it('can send every call once its path is filled in', () => {
    for (const one of calls) {
      const draft = createCallDraft(one);
      for (const { name, in: place } of one.parameters ?? [])
        if (place === 'path') draft.values[valueKey(place, name)] = 'a/b';
      expect(findCallProblem(english, one, draft), one.path).toBe(null);
      const request = buildApiCall(one, draft);
      expect(request.path).not.toContain('{');
      for (const language of LANGUAGES)
        expect(codeSample(language, request, 'https://fabric.example.org')).toContain('FABRIC_TOKEN');
    }
  });

  it('says what is missing', () => {
    const apply = call('POST', '/policies/{policy_id}/apply');
    expect(findCallProblem(english, apply, createCallDraft(apply))).toBe('Enter a value for policy_id.');
    const draft = { values: { 'path.policy_id': 'x' }, body: '{' };
    expect(findCallProblem(english, apply, draft)).toBe('The body is not valid JSON.');
  });

  it('leaves out what is empty and encodes the rest', () => {
    const list = call('GET', '/workloads');
    const values = { 'query.q': 'web & db', 'query.status': ' ', 'query.limit': '5' };
    expect(buildApiCall(list, { values, body: '' })).toEqual({
      method: 'GET',
      path: '/workloads?limit=5&q=web+%26+db',
    });
  });

  it('shows types as text, and resolves references to problem responses', () => {
    expect(typeText(english, { anyOf: [{ type: 'string', format: 'uuid' }, { type: 'null' }] })).toBe(
      'string (uuid) or null',
    );
    expect(typeText(english, { type: 'array', items: { $ref: '#/components/schemas/Tenant' } })).toBe('list of Tenant');
    const refused = call('GET', '/workloads').responses['403'];
    expect(refused && resolveResponse(document, refused).description).toContain('Not permitted');
  });

  it('writes bodies as literals of the language', () => {
    const request = { method: 'POST', path: '/x', body: '{"enabled":true,"note":null,"ports":["443"]}' };
    expect(codeSample('python', request, 'http://h')).toContain(
      'json={"enabled": True, "note": None, "ports": ["443"]},',
    );
    expect(codeSample('javascript', request, 'http://h')).toContain('"enabled": true');
  });
});
