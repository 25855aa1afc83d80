import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActiveIncident, advanceIncidents, type Findings, type IncidentChange } from './advance-incidents';
import type { Fact } from './condition';

const MINUTE = 60_000;
const T0 = Date.parse('2026-01-01T00:00:00.000Z');
const fact = (key: string, detail = 'it is so'): Fact => ({
  condition: 'sync_failed',
  key,
  object_kind: 'cluster',
  object_id: key,
  object_name: `cluster ${key}`,
  detail,
});
const holding = (...keys: string[]): Findings => ({
  facts: keys.map((key) => fact(key)),
  unreadable: new Set(),
  unknown: new Set(),
});
const UNREADABLE: Findings = { facts: [], unreadable: new Set(['sync_failed']), unknown: new Set() };

/** A rule over time, as the service stores it. */
function createRule(open_after_minutes: number, close_after_minutes: number) {
  let active: ActiveIncident[] = [];
  let serial = 0;
  const found: string[] = [];
  const at = (now: number) => new Date(now).toISOString();
  const apply = (change: IncidentChange, now: number) => {
    if (change.kind === 'create') {
      const { condition, key, object_name, detail } = change.fact;
      const status = change.open ? 'open' : 'pending';
      active.push({
        id: `i${++serial}`,
        condition,
        key,
        object_name,
        detail,
        status,
        first_seen_at: at(now),
        clear_since: null,
        flaps: 0,
      });
      if (change.open) found.push(`open ${key}`);
      return;
    }
    const { incident } = change;
    const rest = active.filter(({ id }) => id !== incident.id);
    if (change.kind === 'close') found.push(`close ${incident.key}`);
    if (change.kind === 'close' || change.kind === 'drop') active = rest;
    else if (change.kind === 'open') {
      found.push(`open ${incident.key}`);
      active = [...rest, { ...incident, status: 'open', clear_since: null, flaps: change.flaps }];
    } else
      active = [
        ...rest,
        {
          ...incident,
          ...(change.fact && { detail: change.fact.detail }),
          clear_since: change.clear_since,
          flaps: change.flaps,
        },
      ];
  };
  return {
    found,
    active: () => active,
    look(minute: number, findings: Findings): IncidentChange[] {
      const now = T0 + minute * MINUTE;
      const changes = advanceIncidents({ open_after_minutes, close_after_minutes }, active, findings, now);
      for (const change of changes) apply(change, now);
      return changes;
    },
  };
}

describe('advanceIncidents', () => {
  it('opens after the time, closes after the time, and says both once', () => {
    const rule = createRule(5, 3);
    for (let minute = 0; minute < 5; minute++) rule.look(minute, holding('a'));
    expect(rule.found).toEqual([]);
    for (let minute = 5; minute < 20; minute++) rule.look(minute, holding('a'));
    expect(rule.found).toEqual(['open a']);
    for (let minute = 20; minute < 23; minute++) rule.look(minute, holding());
    expect(rule.found).toEqual(['open a']);
    rule.look(23, holding());
    expect(rule.found).toEqual(['open a', 'close a']);
    expect(rule.active()).toEqual([]);
  });

  it('opens and closes what a clock first saw that was put back since', () => {
    const rule = createRule(5, 3);
    rule.look(1000, holding('a'));
    rule.look(0, holding('a'));
    expect(rule.found).toEqual(['open a']);
    rule.look(1000, holding());
    rule.look(1, holding());
    expect(rule.found).toEqual(['open a', 'close a']);
  });

  it('reports nothing about what ended before its time', () => {
    const rule = createRule(5, 3);
    rule.look(0, holding('a'));
    for (let minute = 1; minute < 10; minute++) rule.look(minute, holding());
    expect(rule.found).toEqual([]);
    expect(rule.active()).toEqual([]);
  });

  it('opens immediately without a time to wait', () => {
    const rule = createRule(0, 0);
    rule.look(0, holding('a'));
    rule.look(1, holding());
    expect(rule.found).toEqual(['open a', 'close a']);
  });

  it('takes what comes and goes for one matter, and counts how often', () => {
    const rule = createRule(5, 3);
    for (let minute = 0; minute < 60; minute++) rule.look(minute, minute % 2 === 0 ? holding('a') : holding());
    expect(rule.found).toEqual(['open a']);
    expect(rule.active()[0]?.flaps).toBeGreaterThan(20);
  });

  it('changes nothing about what could not be looked at', () => {
    const rule = createRule(0, 1);
    rule.look(0, holding('a'));
    for (let minute = 1; minute < 30; minute++) {
      expect(rule.look(minute, UNREADABLE)).toEqual([]);
      expect(rule.look(minute, { ...holding(), unknown: new Set(['sync_failed a']) })).toEqual([]);
    }
    expect(rule.found).toEqual(['open a']);
  });

  it('notes other words without telling again', () => {
    const rule = createRule(0, 1);
    rule.look(0, holding('a'));
    const changes = rule.look(1, { ...holding(), facts: [fact('a', 'other words')] });
    expect(changes).toMatchObject([{ kind: 'note', clear_since: null }]);
    expect(rule.found).toEqual(['open a']);
  });

  const minutes = fc.integer({ min: 0, max: 6 });
  const history = fc.array(
    fc.record({
      pause: fc.integer({ min: 1, max: 4 }),
      keys: fc.subarray(['a', 'b', 'c']),
      readable: fc.boolean(),
      missed: fc.boolean(),
    }),
    { maxLength: 60 },
  );

  it('opens and closes each incident in turn, whatever happens and however many checks are missed', () => {
    fc.assert(
      fc.property(minutes, minutes, history, (open, close, steps) => {
        const rule = createRule(open, close);
        let minute = 0;
        for (const { pause, keys, readable, missed } of steps) {
          minute += pause;
          // The service was down.
          if (missed) continue;
          rule.look(minute, readable ? holding(...keys) : UNREADABLE);
          // Twice the same: nothing to do. A restart never tells again.
          expect(rule.look(minute, readable ? holding(...keys) : UNREADABLE)).toEqual([]);
        }
        for (const key of ['a', 'b', 'c']) {
          const own = rule.found.filter((text) => text.endsWith(key));
          expect(own.every((text, index) => text.startsWith(index % 2 === 0 ? 'open' : 'close'))).toBe(true);
          const left = rule.active().filter((incident) => incident.key === key);
          expect(left.length).toBeLessThanOrEqual(1);
          expect(left.some(({ status }) => status === 'open')).toBe(own.length % 2 === 1);
        }
      }),
    );
  });

  it('tells one opening however a matter flaps faster than it may close', () => {
    fc.assert(
      fc.property(minutes, fc.array(fc.boolean(), { minLength: 1, maxLength: 100 }), (open, seen) => {
        const rule = createRule(open, 3);
        // Never away for three minutes in a row.
        const pattern = seen.map((on, index) => on || index % 3 === 0);
        for (const [minute, on] of pattern.entries()) rule.look(minute, on ? holding('a') : holding());
        expect(rule.found.length).toBeLessThanOrEqual(1);
        expect(rule.found).not.toContain('close a');
      }),
    );
  });
});

describe('an incident of something that was deleted', () => {
  it('closes immediately, even while nothing can be determined', () => {
    const rule = createRule(0, 60);
    rule.look(0, holding('a'));
    const changes = rule.look(1, { ...UNREADABLE, ends: new Map([['i1', 'removed']]) });
    expect(changes).toMatchObject([{ kind: 'close', end_reason: 'removed', incident: { key: 'a' } }]);
  });

  it('closes in its time with the reason when its object left or is not enforced, even while nothing can be determined', () => {
    for (const reason of ['left', 'not_enforced'] as const) {
      for (const findings of [holding(), UNREADABLE, { ...holding(), unknown: new Set(['sync_failed a']) }]) {
        const rule = createRule(0, 3);
        rule.look(0, holding('a'));
        const ends = new Map([['i1', reason]]);
        expect(rule.look(2, { ...holding('a'), ends })).toEqual([]);
        rule.look(3, { ...findings, ends });
        expect(rule.look(6, { ...findings, ends })).toMatchObject([{ kind: 'close', end_reason: reason }]);
      }
    }
  });
});
