import { SavedViewInput } from '@/domain/saved-view';
import { TenantListInput } from '@/domain/tenant';
import { createSavedView } from '@/server/access/account/saved-views';
import { listTenants } from '@/server/tenancy/queries/tenants';
import { DEMO_EMAIL, readDemoSession } from './accounts';
import { ignoreConflict } from './kept-steps';

const VIEWS = [
  { name: 'Denied connections to the databases', filter: 'server = tag:db and action in (dropped, rejected)' },
  { name: 'Large transfers to the outside', filter: 'server = external and bytes > 1MB' },
];

/** Shares filters of conversations with the people of the shop. */
export async function addSavedViews(): Promise<void> {
  const session = await readDemoSession(DEMO_EMAIL);
  const { items } = await listTenants('all', TenantListInput.parse({ limit: 500 }));
  const tenant_id = items.find(({ name }) => name === 'Commerce')?.id;
  if (tenant_id === undefined) return;
  for (const { name, filter } of VIEWS) {
    const query = new URLSearchParams({ filter, range: '24h' }).toString();
    await ignoreConflict(() =>
      createSavedView(session, SavedViewInput.parse({ page: '/flows', name, query, tenant_id })),
    );
  }
}
