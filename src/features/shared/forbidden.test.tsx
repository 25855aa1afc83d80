import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it, vi } from 'vitest';
import { PERMISSIONS } from '@/domain/permissions';
import * as browser from '@/lib/browser-session';
import type { Failure } from '@/lib/problem';
import { ErrorState } from '@/ui/error-state';
import { Forbidden, rolesWith } from './forbidden';
import { missingPermission } from './use-permissions';

const signedIn = (permissions: string[], tenant_id: string | null) =>
  vi.spyOn(browser, 'useSession').mockReturnValue({
    status: 'signed_in',
    user: { grants: [{ role: 'x', title: 'Team lead', permissions, tenant_id, project_id: null }] },
  } as unknown as ReturnType<typeof browser.useSession>);

describe('Forbidden', () => {
  it.each(PERMISSIONS)('names %s and the roles that include it, without any action', (permission) => {
    signedIn([], null);
    const page = renderToStaticMarkup(<Forbidden permission={permission} />);
    expect(page).toContain(permission);
    expect(page).toContain('Administrator');
    expect(page).not.toMatch(/<(button|a|input)\b/);
    expect(page).not.toContain('applies only if');
  });

  it('states that the permission of a tenant role has no effect there', () => {
    signedIn(['job:read'], '0190a0b0-0000-7000-8000-000000000001');
    const page = renderToStaticMarkup(<Forbidden permission="job:read" />);
    expect(page).toContain('Your role Team lead includes it');
    expect(page).toContain('for the whole installation');
  });

  it('states that the permission of a project role has effect for the whole tenant only', () => {
    signedIn(['audit:read'], '0190a0b0-0000-7000-8000-000000000001');
    expect(renderToStaticMarkup(<Forbidden permission="audit:read" />)).toContain('for the whole tenant');
  });

  it('offers no retry for what is not permitted', () => {
    const problem = { title: 'Not permitted', status: 403 };
    expect(renderToStaticMarkup(<ErrorState problem={problem} onRetry={() => undefined} />)).not.toContain('<button');
    expect(
      renderToStaticMarkup(<ErrorState problem={{ ...problem, status: 500 }} onRetry={() => undefined} />),
    ).toContain('<button');
  });
});

describe('missingPermission', () => {
  it('reads the permission from a refusal only', () => {
    const failure = (status: number, permission: unknown): Failure => ({ title: 'x', status, extra: { permission } });
    expect(missingPermission(failure(403, 'job:read'))).toBe('job:read');
    expect(missingPermission(failure(403, '*'))).toBe('*');
    expect([missingPermission(failure(403, 'gone:read')), missingPermission(failure(404, 'job:read'))]).toEqual([
      null,
      null,
    ]);
  });
});

describe('rolesWith', () => {
  it('lists the role with the fewest permissions first', () => {
    expect(rolesWith('audit:read')).toEqual(['Auditor', 'Security engineer', 'Administrator', 'Super administrator']);
    expect(rolesWith('*')).toEqual(['Super administrator']);
  });
});
