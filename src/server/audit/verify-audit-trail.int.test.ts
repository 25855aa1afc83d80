import { expect, it } from 'vitest';
import { systemScope } from '@/server/auth/scope';
import { makeTenant } from '@/test/factories';
import { verifyAuditTrail } from './trail';

it('serves those who may read all tenants, and everybody who asks meanwhile with the same verification', async () => {
  const scope = systemScope('audit:read', 'test');
  const first = verifyAuditTrail(scope);
  const second = verifyAuditTrail(scope);
  const outcome = await first;
  expect(outcome.broken).toBeNull();
  expect(await second).toBe(outcome);
  expect(await verifyAuditTrail(scope)).not.toBe(outcome);
});

it('refuses readers of some tenants, whose records are links of one chain with all others', async () => {
  const tenant = await makeTenant();
  await expect(verifyAuditTrail(systemScope('audit:read', 'test', [tenant.id]))).rejects.toMatchObject({
    code: 'refused',
  });
});
