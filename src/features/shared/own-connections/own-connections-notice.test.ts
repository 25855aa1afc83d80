import { expect, it } from 'vitest';
import { ENTRY_TO_WEB } from '@/domain/own-connections/own-workloads';
import { TEMPLATES } from '@/domain/policy-tests/protected-connection';
import { OWN_CONNECTION_LABELS } from './own-connections-notice';

it('has the names that the service uses', () => {
  const { entry_to_web, ...templates } = OWN_CONNECTION_LABELS;
  expect(entry_to_web).toBe(ENTRY_TO_WEB);
  expect(TEMPLATES).toMatchObject(
    Object.fromEntries(Object.entries(templates).map(([template, name]) => [template, { name }])),
  );
});
