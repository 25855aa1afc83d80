import { type ApiCall, curlCommand } from '@/lib/curl-command';

export const LANGUAGES = ['curl', 'javascript', 'python'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A JSON text as a literal of Python: the same but for three words and the escapes of lone surrogates. */
function pythonLiteral(value: unknown): string {
  if (value === null) return 'None';
  if (value === true) return 'True';
  if (value === false) return 'False';
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value === 'object') {
    const entries = Object.entries(value as object).map(
      ([key, inner]) => `${JSON.stringify(key)}: ${pythonLiteral(inner)}`,
    );
    return `{${entries.join(', ')}}`;
  }
  return JSON.stringify(value);
}

function parseBody(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

function javascript({ method, path, body, headers }: ApiCall, origin: string): string {
  const given = Object.entries(headers ?? {}).map(
    ([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return [
    `const response = await fetch(${JSON.stringify(`${origin}/api/v1${path}`)}, {`,
    `  method: ${JSON.stringify(method)},`,
    '  headers: {',
    "    authorization: 'Bearer ' + process.env.FABRIC_TOKEN,",
    ...(body === undefined ? [] : ["    'content-type': 'application/json',"]),
    ...given,
    '  },',
    ...(body === undefined
      ? []
      : [`  body: JSON.stringify(${JSON.stringify(parseBody(body), null, 2).replaceAll('\n', '\n  ')}),`]),
    '});',
    'if (!response.ok) throw new Error((await response.json()).detail);',
    ...(method === 'DELETE' ? [] : ['console.log(await response.json());']),
  ].join('\n');
}

function python({ method, path, body, headers }: ApiCall, origin: string): string {
  const given = Object.entries(headers ?? {}).map(
    ([name, value]) => `        ${JSON.stringify(name)}: ${JSON.stringify(value)},`,
  );
  return [
    'import os',
    'import requests',
    '',
    'response = requests.request(',
    `    ${JSON.stringify(method)},`,
    `    ${JSON.stringify(`${origin}/api/v1${path}`)},`,
    '    headers={',
    '        "authorization": f"Bearer {os.environ[\'FABRIC_TOKEN\']}",',
    ...given,
    '    },',
    ...(body === undefined ? [] : [`    json=${pythonLiteral(parseBody(body))},`]),
    '    timeout=30,',
    ')',
    'response.raise_for_status()',
    ...(method === 'DELETE' ? [] : ['print(response.json())']),
  ].join('\n');
}

/** The call as a program that reads the token from `FABRIC_TOKEN`. */
export function codeSample(language: Language, call: ApiCall, origin: string): string {
  if (language === 'curl') return curlCommand(call, origin);
  return language === 'javascript' ? javascript(call, origin) : python(call, origin);
}
