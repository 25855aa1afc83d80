import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FileError, printPolicyYaml, readPolicyYaml } from './policy-yaml';

const TEXT = `version: 1
policies:
  - name: web-in
    definition:
      enforcement_mode: enforced
      sources: [any]
      targets:
        - sg:web
        - vmid:lab/105
    rules:
      - action: accept
        destination_ports: [443, '8080']
`;

const mistakesIn = (text: string) => {
  try {
    readPolicyYaml('p.yaml', text);
  } catch (error) {
    if (error instanceof FileError) return error.message.split('\n');
    throw error;
  }
  return [];
};

describe('a policy file as YAML', () => {
  it('reads what it wrote, whatever the texts are', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('yes', 'null', '1', '~', '0x1', '- a', '# b', ''),
    );
    const document = fc.record({ version: fc.constant(1), policies: fc.array(fc.dictionary(value, fc.array(value))) });
    fc.assert(
      fc.property(document, (one) => {
        const text = printPolicyYaml(one, 'https://x/schema.json');
        // A key `__proto__` is no field of an object.
        fc.pre(!JSON.stringify(one).includes('__proto__'));
        expect(readPolicyYaml('x', text).document).toEqual(JSON.parse(JSON.stringify(one)));
      }),
      { numRuns: 100 },
    );
  });

  it('reads a number in a list of ports as the port', () => {
    const { document } = readPolicyYaml('p.yaml', TEXT);
    expect(document).toMatchObject({ policies: [{ rules: [{ destination_ports: ['443', '8080'] }] }] });
  });

  it.each([
    ['policies.0.name', 3, 5],
    ['policies.0.definition.targets.1', 9, 11],
    ['policies.0.definition.sources', 6, 7],
    ['policies.0.rules.0.destination_ports.1', 12, 34],
    // What is missing is reported at what it belongs to.
    ['policies.0.rules.0.protocol', 11, 9],
    ['security_groups', 1, 1],
    ['', 1, 1],
  ])('finds %s', (field, line, column) => {
    expect(readPolicyYaml('p.yaml', TEXT).locate(field)).toEqual({ line, column });
  });

  it.each([
    ['version: 1\npolicies: [', /^p\.yaml:2:12: /],
    ['version: 1\nversion: 1', /^p\.yaml:2:1: .*unique/],
    ['- 1', /^p\.yaml:1:1: A document/],
    ['', /^p\.yaml:1:1: A document/],
    ['a: &x [1]\nb: *x', /^p\.yaml:2:4: \*x: write the value/],
  ])('says where %j is wrong', (text, message) => {
    expect(mistakesIn(text)[0]).toMatch(message);
  });
});
