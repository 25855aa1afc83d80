import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { curlCommand, shellQuote } from './curl-command';

const CURL = 'curl() { for word in "$@"; do printf "%s\\0" "$word"; done; }\n';
const parseArguments = (command: string, token = 'secret'): string[] =>
  execFileSync('/bin/sh', ['-c', CURL + command], { env: { NODE_ENV: 'test', FABRIC_TOKEN: token } })
    .toString()
    .split('\0')
    .slice(0, -1);

describe('a call as a curl command', () => {
  it('quotes each text as one shell word, whatever it contains', () => {
    const text = fc.string({ unit: 'binary' }).filter((one) => !one.includes('\0'));
    fc.assert(
      fc.property(text, (one) => {
        expect(parseArguments(`curl ${shellQuote(one)}`)).toEqual([Buffer.from(one).toString()]);
      }),
      { numRuns: 60 },
    );
  });

  it('reads the token from the environment and needs nothing else', () => {
    expect(
      parseArguments(
        curlCommand({ method: 'GET', path: "/workloads?q=it's&sort=-name" }, 'https://fabric.example.org'),
      ),
    ).toEqual([
      '--silent',
      '--show-error',
      '-H',
      'Authorization: Bearer secret',
      "https://fabric.example.org/api/v1/workloads?q=it's&sort=-name",
    ]);
  });

  it('sends what is to be sent', () => {
    const call = {
      method: 'PATCH',
      path: '/tenants/1',
      body: '{"name":"it\'s $HOME"}',
      headers: { 'If-Match': '"3"' },
    };
    expect(parseArguments(curlCommand(call, 'http://localhost:3000')).slice(4)).toEqual([
      '-X',
      'PATCH',
      '-H',
      'Content-Type: application/json',
      '-H',
      'If-Match: "3"',
      '--data-raw',
      '{"name":"it\'s $HOME"}',
      'http://localhost:3000/api/v1/tenants/1',
    ]);
  });
});
