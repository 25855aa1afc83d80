import { describe, expect, it } from 'vitest';
import { AssignmentInput } from '@/domain/user';
import { EVERYWHERE } from '../use-choices';
import { NEW_ASSIGNMENT, toAssignment, toAssignmentValues, toLocalDay } from './assignment-values';

const stored = {
  id: 'a',
  role_id: 'r',
  role: 'viewer',
  role_title: 'Viewer',
  tenant_id: null,
  tenant_name: null,
  project_id: null,
  project_name: null,
  expires_at: '2026-12-24T10:30:00.000Z',
  source: 'manual' as const,
  expired: false,
  created_at: '2026-01-01T00:00:00.000Z',
};

describe('roles in a form', () => {
  it('keep their exact end while the day stays', () => {
    const values = toAssignmentValues(stored);
    expect(values).toMatchObject({ tenant_id: EVERYWHERE, until: toLocalDay(stored.expires_at) });
    expect(toAssignment(values)).toEqual({
      role_id: 'r',
      tenant_id: null,
      project_id: null,
      expires_at: stored.expires_at,
    });
  });

  it('end with the day that is chosen, or never', () => {
    const values = toAssignmentValues(stored);
    const { expires_at } = toAssignment({ ...values, until: '2026-12-31' });
    expect(new Date(expires_at ?? '').getTime()).toBe(new Date(2027, 0, 1).getTime());
    expect(toAssignment({ ...values, until: '' }).expires_at).toBeNull();
    expect(toAssignment({ ...values, until: 'soon', tenant_id: 't' })).toMatchObject({
      expires_at: 'soon',
      tenant_id: 't',
    });
  });

  it('keep the project for which they are held', () => {
    const place = { tenant_id: 't', project_id: 'p' };
    expect(toAssignment(toAssignmentValues({ ...stored, ...place }))).toMatchObject(place);
  });

  it('choose nothing beforehand: neither the role nor where it counts', () => {
    const fresh = AssignmentInput.safeParse(toAssignment(NEW_ASSIGNMENT));
    expect(fresh.error?.issues.map(({ path }) => path[0])).toEqual(['role_id', 'tenant_id']);
  });
});
