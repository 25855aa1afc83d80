import { describe, expect, it } from 'vitest';
import { SETTING_LIMITS } from './choices';
import { DEFAULT_RUNTIME_CHOICES, RuntimeChoices, RuntimeSettingsUpdate } from './settings';

describe('RuntimeSettingsUpdate', () => {
  it.each([
    { flow_retention_hours: 1 },
    { flow_retention_hours: 8760 },
    { auto_node_sync_interval_minutes: 5 },
    { auto_ipam_sync_interval_minutes: 10_080 },
    { auto_node_sync_enabled: false, auto_ipam_sync_enabled: true },
    {},
  ])('accepts %j', (input) => expect(RuntimeSettingsUpdate.parse(input)).toEqual(input));

  it.each([
    { flow_retention_hours: 0 },
    { flow_retention_hours: 8761 },
    { flow_retention_hours: 1.5 },
    { flow_retention_hours: '24' },
    { flow_retention_hours: null },
    { flow_retention_hours: Number.NaN },
    { auto_node_sync_interval_minutes: 4 },
    { auto_ipam_sync_interval_minutes: 10_081 },
    { auto_node_sync_enabled: 'true' },
    { auto_node_sync_enabled: 1 },
    { change_approvals_required: -1 },
    { change_approvals_required: 6 },
    { change_approval_scope: 'none' },
    { last_node_auto_sync_at: '2026-01-01T00:00:00Z' },
    { unknown: 1 },
  ])('refuses %j', (input) => expect(RuntimeSettingsUpdate.safeParse(input).success).toBe(false));

  it('has defaults that its own rules allow', () => {
    expect(RuntimeChoices.parse(DEFAULT_RUNTIME_CHOICES)).toMatchObject({ flow_retention_hours: 24 });
  });
});

describe('SETTING_LIMITS', () => {
  it('names every setting that is any number', () => {
    const numbers = Object.entries(DEFAULT_RUNTIME_CHOICES).filter(
      ([name, value]) =>
        // The period of recertification is one of a few.
        typeof value !== 'boolean' && typeof value !== 'string' && name !== 'policy_recertification_days',
    );
    expect(Object.keys(SETTING_LIMITS)).toEqual(numbers.map(([name]) => name));
  });

  it.each(Object.entries(SETTING_LIMITS))(
    'has the least and the greatest %s that the schema accepts',
    (name, { min, max }) => {
      const isAccepted = (value: number) => RuntimeSettingsUpdate.safeParse({ [name]: value }).success;
      expect([min - 1, min, max, max + 1].map(isAccepted)).toEqual([false, true, true, false]);
    },
  );
});
