import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { completeFilter } from './complete';
import type { Condition } from './condition';
import { CONDITION } from './condition.fixture';
import { getFieldValues, setFieldValues } from './field-values';
import { FilterText } from './filter-text';
import { formatCondition } from './format';
import { MAX_FILTER_TEXT, parseFilter } from './parse';

const read = (text: string): Condition => {
  const parsed = parseFilter(text);
  if ('problem' in parsed) throw new Error(JSON.stringify(parsed.problem));
  return parsed.condition;
};
const findProblem = (text: string) => {
  const parsed = parseFilter(text);
  return 'problem' in parsed ? parsed.problem : null;
};

/** Accepts what completion offers until the text is valid; null when it does not become so. `pick` chooses. */
function continueText(start: string, pick: (options: readonly string[]) => string): string | null {
  let text = start;
  for (let step = 0; step < 60; step++) {
    if ('condition' in parseFilter(text)) return text;
    const completion = completeFilter(text, text.length);
    if (!completion || completion.options.length === 0) return null;
    text = `${text.slice(0, completion.from)}${pick(completion.options)} `;
  }
  return null;
}

/** Words of the language in any order, and other characters. */
const NOISE = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'client',
        'bytes',
        'and',
        'or',
        'not',
        'in',
        '(',
        ')',
        ',',
        '=',
        '!=',
        '>',
        '"',
        '\\',
        '1GB',
        '10 MiB',
      ),
      fc.string({ maxLength: 6, unit: 'binary' }),
    ),
    { maxLength: 12 },
  )
  .map((words) => words.join(' '));

describe('parseFilter', () => {
  it('reads what formatCondition writes, to the same condition', () => {
    fc.assert(
      fc.property(CONDITION, (condition) => {
        const text = formatCondition(condition);
        if (text.length <= MAX_FILTER_TEXT) expect(read(text)).toEqual(condition);
      }),
    );
  });

  it('returns for every text a condition or a problem with its place in the text', () => {
    fc.assert(
      fc.property(NOISE, (text) => {
        const problem = findProblem(text);
        if (problem === null) return;
        expect(problem.start).toBeGreaterThanOrEqual(0);
        expect(problem.end).toBeGreaterThanOrEqual(problem.start);
        expect(problem.end).toBeLessThanOrEqual(text.length);
        expect(text.slice(problem.start, problem.end).startsWith(problem.found)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    ['client = sg:web AND service = postgresql', 'client = group:web and service = tcp/5432'],
    ['service=domain', 'service in (tcp/53, udp/53)'],
    ['service != domain or bytes > 1.5 gb', 'not service in (tcp/53, udp/53) or bytes > 1500MB'],
    ['bytes >= 10 MiB and duration < 300', 'bytes >= 10MiB and duration < 5m'],
    ['server not in (10.0.0.7/24, "db 01", external)', 'not server in (10.0.0.0/24, "db 01", external)'],
    [
      'not (action = Dropped or state=ended) and port = 80:90',
      'not (action = dropped or state = ended) and port = 80-90',
    ],
    ['end = group:"web servers"', 'end = "group:web servers"'],
    ['packets > 2k', 'packets > 2k'],
  ])('reads %j as %j', (text, canonical) => expect(formatCondition(read(text))).toBe(canonical));

  it.each([
    ['clinet = web', { start: 0, end: 6, expected: 'field', nearest: 'client' }],
    ['client web', { start: 7, end: 10, expected: 'operator', field: 'client' }],
    ['client > web', { start: 7, end: 8, expected: 'operator' }],
    ['action = droped', { start: 9, end: 15, expected: 'value', nearest: 'dropped', field: 'action' }],
    ['bytes > 1XB', { start: 8, end: 11, expected: 'value' }],
    ['client = any', { start: 9, end: 12, expected: 'value' }],
    ['address = 10.0.0.300', { start: 10, end: 20, expected: 'value' }],
    ['client = a adn server = b', { start: 11, end: 14, expected: 'connective', nearest: 'and' }],
    ['(client = a', { start: 11, end: 11, expected: 'close', found: '' }],
    ['client in (a b)', { start: 13, end: 14, expected: 'list' }],
    ['client = "a', { start: 9, end: 11, expected: 'quote' }],
    ['client = a)', { start: 10, end: 11, expected: 'connective' }],
    ['client = a and', { start: 14, end: 14, expected: 'field', found: '' }],
    ['', { start: 0, end: 0, expected: 'field' }],
    [`client = ${'a'.repeat(MAX_FILTER_TEXT)}`, { expected: 'shorter' }],
    [`${'('.repeat(500)}client = a`, { expected: 'shorter' }],
    [`${'not '.repeat(400)}client = a`, { expected: 'shorter' }],
    [`port in (${Array.from({ length: 101 }, (_, i) => i).join(',')})`, { expected: 'shorter' }],
  ])('refuses %j', (text, problem) => expect(findProblem(text)).toMatchObject(problem));
});

describe('completeFilter', () => {
  it('continues every beginning of a valid text to a valid one', () => {
    const pickEnd = (options: readonly string[]) => (options.includes(')') ? ')' : (options[0] ?? ''));
    fc.assert(
      fc.property(CONDITION, fc.double({ min: 0, max: 1, noNaN: true }), (condition, share) => {
        const text = formatCondition(condition).slice(0, MAX_FILTER_TEXT / 2);
        const start = text.slice(0, Math.round(share * text.length));
        expect(continueText(start, pickEnd), start).not.toBeNull();
      }),
      { numRuns: 500 },
    );
  });

  it('offers for every text what lies inside of it, or nothing', () => {
    fc.assert(
      fc.property(NOISE, fc.nat(), (text, place) => {
        const cursor = place % (text.length + 1);
        const completion = completeFilter(text, cursor);
        if (!completion) return;
        expect(completion.from).toBeLessThanOrEqual(cursor);
        expect(completion.to).toBe(cursor);
        expect(completion.options.length).toBeGreaterThan(0);
      }),
    );
  });

  it.each([
    ['', 'field', 'client'],
    ['se', 'field', 'server'],
    ['client ', 'operator', '='],
    ['client not ', 'operator', 'in'],
    ['bytes ', 'operator', '>'],
    ['client = ', 'value', 'internal'],
    ['action = dr', 'value', 'dropped'],
    ['service = postgr', 'value', 'postgresql'],
    ['client = 10.0.', 'value', '10.0.0.0/16'],
    ['bytes > 10', 'value', '10TiB'],
    ['client = web ', 'connective', 'and'],
    ['client in ', 'connective', '('],
    ['client in (admin', 'value', 'internal'],
    ['client in (admin ', 'connective', ','],
    ['(client = web ', 'connective', ')'],
    ['clinet', 'field', 'client'],
  ])('offers after %j a %s such as %j', (text, kind, option) => {
    const completion = completeFilter(text, text.length);
    expect(completion).toMatchObject({ kind });
    expect(completion?.options[0]).toBe(option);
  });

  it('offers nothing behind an error, and looks at what is before the cursor only', () => {
    expect(completeFilter('clinet = web and ', 17)).toBeNull();
    expect(completeFilter('client =  and bytes > 1', 9)).toMatchObject({
      kind: 'value',
      field: 'client',
      named: 'endpoint',
    });
  });
});

describe('setFieldValues', () => {
  const values = fc.uniqueArray(fc.constantFrom('allowed', 'dropped', 'rejected'), { maxLength: 3 });

  it('sets what getFieldValues returns, keeps the rest, and is undone by no values', () => {
    fc.assert(
      fc.property(fc.option(CONDITION), values, (condition, chosen) => {
        const set = setFieldValues(condition, 'action', chosen);
        expect(getFieldValues(set, 'action').slice(0, 3)).toEqual(
          chosen.length > 0 ? chosen : getFieldValues(set, 'action'),
        );
        // Without a selection of the field, the rest is found again as it was.
        if (condition !== null && getFieldValues(condition, 'action').length === 0 && condition.kind !== 'and') {
          expect(setFieldValues(set, 'action', [])).toEqual(condition);
        }
      }),
    );
  });

  it('writes the text that a person would write', () => {
    const dropped = setFieldValues(read('bytes > 1GB or packets > 2k'), 'action', ['dropped']);
    expect(dropped && formatCondition(dropped)).toBe('(bytes > 1GB or packets > 2k) and action = dropped');
    const both = setFieldValues(read('action = dropped and client = web'), 'action', ['dropped', 'rejected']);
    expect(both && formatCondition(both)).toBe('action in (dropped, rejected) and client = web');
    expect(setFieldValues(read('action = dropped'), 'action', [])).toBeNull();
  });
});

describe('FilterText', () => {
  it.each([
    [
      'clinet = web',
      'At character 1: expected a field, one of client, server, end, service, action, bytes, packets, duration, port, protocol, address, node, cluster, state, found "clinet". Did you mean client?',
    ],
    [
      'bytes > ',
      'At character 9: expected a value of bytes, such as 1GB or 100MB or 10MiB, found the end of the text.',
    ],
    ['client > a', 'At character 8: expected one of = != in after client, found ">".'],
  ])('refuses %j with the place and a remedy', (text, message) => {
    expect(FilterText.safeParse(text).error?.issues[0]?.message).toBe(message);
  });

  it('means nothing when it is blank', () => expect(FilterText.parse('  ')).toBeUndefined());
});
