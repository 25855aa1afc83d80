import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromInput, toInput } from './calendar';
import { parseTimeExpression } from './time-expression';

/** A Tuesday. */
const NOW = Date.parse('2026-11-24T14:30:00Z');
const CONTEXT = { now: NOW, zone: 'utc', dayFirst: false } as const;

function describeRange(words: string, context: Partial<typeof CONTEXT> = {}): string {
  const range = parseTimeExpression(words, { ...CONTEXT, ...context });
  if (typeof range === 'string') return range;
  if ('span' in range) return range.span;
  const short = (at: number) => new Date(at).toISOString().slice(0, 16);
  return `${short(range.since)} ${range.until === null ? 'now' : short(range.until)}`;
}

describe('parseTimeExpression', () => {
  it.each([
    ['last 15 minutes', '15m'],
    ['Last hour', '1h'],
    ['past 3 days', '3d'],
    ['24h', '24h'],
    ['2 weeks', '14d'],
    ['letzte Stunde', '1h'],
    ['letzte 15 Minuten', '15m'],
    ['die letzten 24 Stunden', '24h'],
    ['dernière heure', '1h'],
    ['les 6 dernières heures', '6h'],
    ['15 dernières minutes', '15m'],
    ['7 j', '7d'],
  ])('reads %s as a span that ends now', (words, span) => expect(describeRange(words)).toBe(span));

  it.each([
    ['yesterday 18:00–22:00', '2026-11-23T18:00 2026-11-23T22:00'],
    ['yesterday 18-22', '2026-11-23T18:00 2026-11-23T22:00'],
    ['yesterday 6-10pm', '2026-11-23T18:00 2026-11-23T22:00'],
    ['yesterday evening', '2026-11-23T18:00 2026-11-23T22:00'],
    ['yesterday from 18:00 to 22:00', '2026-11-23T18:00 2026-11-23T22:00'],
    ['from yesterday 18:00 to 22:00', '2026-11-23T18:00 2026-11-23T22:00'],
    ['18:00-22:00 yesterday', '2026-11-23T18:00 2026-11-23T22:00'],
    ['gestern 18:00–22:00', '2026-11-23T18:00 2026-11-23T22:00'],
    ['gestern Abend', '2026-11-23T18:00 2026-11-23T22:00'],
    ['gestern von 18 bis 22 Uhr', '2026-11-23T18:00 2026-11-23T22:00'],
    ['gestern 18 bis 22 Uhr', '2026-11-23T18:00 2026-11-23T22:00'],
    ['hier soir', '2026-11-23T18:00 2026-11-23T22:00'],
    ['hier 18h-22h', '2026-11-23T18:00 2026-11-23T22:00'],
    ['hier de 18h30 à 22h', '2026-11-23T18:30 2026-11-23T22:00'],
    ['hier 18h30 à 22h', '2026-11-23T18:30 2026-11-23T22:00'],
    ['hier à 18h - 22h', '2026-11-23T18:00 2026-11-23T22:00'],
    ['yesterday', '2026-11-23T00:00 2026-11-24T00:00'],
    ['vorgestern', '2026-11-22T00:00 2026-11-23T00:00'],
    ['avant-hier', '2026-11-22T00:00 2026-11-23T00:00'],
    ['today', '2026-11-24T00:00 now'],
    ['heute Morgen', '2026-11-24T06:00 2026-11-24T12:00'],
    ['this morning', '2026-11-24T06:00 2026-11-24T12:00'],
    ['ce matin', '2026-11-24T06:00 2026-11-24T12:00'],
    ['last night', '2026-11-23T22:00 2026-11-24T06:00'],
    ['3 Nov 09:00–10:00', '2026-11-03T09:00 2026-11-03T10:00'],
    ['Nov 3 9am-10am', '2026-11-03T09:00 2026-11-03T10:00'],
    ['3. November 9:00 - 10:00', '2026-11-03T09:00 2026-11-03T10:00'],
    ['03.11. 09:00–10:00', '2026-11-03T09:00 2026-11-03T10:00'],
    ['3 novembre 9h-10h', '2026-11-03T09:00 2026-11-03T10:00'],
    ['3 décembre', '2025-12-03T00:00 2025-12-04T00:00'],
    ['2026-11-03', '2026-11-03T00:00 2026-11-04T00:00'],
    ['2026-11-03 09:00 - 2026-11-04 10:00', '2026-11-03T09:00 2026-11-04T10:00'],
    ['3 Nov 22:00 to 4 Nov 06:00', '2026-11-03T22:00 2026-11-04T06:00'],
    ['1 Nov - 3 Nov', '2026-11-01T00:00 2026-11-04T00:00'],
    ['14/11', '2026-11-14T00:00 2026-11-15T00:00'],
    ['3/11', 'unknown'],
    ['29 Feb', '2024-02-29T00:00 2024-03-01T00:00'],
    ['31 Feb', 'unknown'],
    ['monday', '2026-11-23T00:00 2026-11-24T00:00'],
    ['last Tuesday', '2026-11-17T00:00 2026-11-18T00:00'],
    ['Freitag 8-12', '2026-11-20T08:00 2026-11-20T12:00'],
    ['lundi dernier', '2026-11-23T00:00 2026-11-24T00:00'],
    ['this week', '2026-11-23T00:00 now'],
    ['letzte Woche', '2026-11-16T00:00 2026-11-23T00:00'],
    ['la semaine dernière', '2026-11-16T00:00 2026-11-23T00:00'],
    ['last month', '2026-10-01T00:00 2026-11-01T00:00'],
    ['October', '2026-10-01T00:00 2026-11-01T00:00'],
    ['22:00-06:00', '2026-11-23T22:00 2026-11-24T06:00'],
    ['09:00-10:00', '2026-11-24T09:00 2026-11-24T10:00'],
    ['since yesterday', '2026-11-23T00:00 now'],
    ['seit gestern 18:00', '2026-11-23T18:00 now'],
    ['depuis 9h', '2026-11-24T09:00 now'],
    ['yesterday 18:00 - now', '2026-11-23T18:00 now'],
  ])('reads %s', (words, range) => expect(describeRange(words)).toBe(range));

  it('reads a numeric date in the order of the language', () => {
    expect(describeRange('3/11', { dayFirst: true } as object)).toBe('2026-11-03T00:00 2026-11-04T00:00');
  });

  it.each([
    ['', 'unknown'],
    ['sometime', 'unknown'],
    ['yesterday 25:00-26:00', 'unknown'],
    ['yesterday blue', 'unknown'],
    ['18:00', 'no_end'],
    ['yesterday 18:00', 'no_end'],
    ['2027-01-01', 'future'],
    ['0 minutes', 'unknown'],
  ])('does not read %s', (words, problem) => expect(describeRange(words)).toBe(problem));

  it('returns a range that has begun and is not empty, or a problem, whatever is typed', () => {
    const word = fc.constantFrom(
      ...'yesterday gestern hier last letzte since 3 11 nov - – to à bis 18:00 22h 9 pm today monday week abend . , / 2026-11-03'.split(
        ' ',
      ),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 7 }), (words) => {
        const range = parseTimeExpression(words.join(' '), CONTEXT);
        if (typeof range === 'string' || 'span' in range) return;
        expect(range.since).toBeLessThan(NOW);
        expect(range.until ?? Number.POSITIVE_INFINITY).toBeGreaterThan(range.since);
      }),
    );
  });

  it('reads back any day and times it is given in numbers', () => {
    const minute = fc.integer({ min: Date.parse('2020-01-01') / 60_000, max: NOW / 60_000 - 2 });
    fc.assert(
      fc.property(
        minute,
        fc.integer({ min: 1, max: 100_000 }),
        fc.constantFrom('utc', 'local'),
        (start, length, zone) => {
          const [since, until] = [start * 60_000, (start + length) * 60_000];
          const words = `${toInput(since, zone).replace('T', ' ')} – ${toInput(until, zone).replace('T', ' ')}`;
          // In the hour that a clock is set back, two times have the same local name.
          if (fromInput(toInput(since, zone), zone) !== since || fromInput(toInput(until, zone), zone) !== until)
            return;
          expect(parseTimeExpression(words, { ...CONTEXT, zone })).toEqual({ since, until });
        },
      ),
    );
  });
});
