import type { Page } from '@/domain/list';
import { computeReach, getReachableTenants, type TenantReach } from '@/domain/permissions';
import type { SavedView, SavedViewInput, SavedViewListInput, SavedViewUpdate } from '@/domain/saved-view';
import { recordAudit } from '../../audit/record';
import { getActor, type Session } from '../../auth/scope';
import { db, type Tx } from '../../db/client';
import { AppError } from '../../lib/errors';
import { newId } from '../../lib/ids';
import { assertVersion, changedFields, nameTaken, notFound } from '../../lib/refusals';
import { tenantExists } from '../../tenancy/queries/tenants';
import * as repository from '../queries/saved-views';

/** More than fit into a menu. */
const MAX_OWN = 100;
const MAX_SHARED = 200;

const getTenantsWith = ({ grants }: Session, permission: 'tenant:read' | 'policy:write'): TenantReach =>
  getReachableTenants(computeReach(grants, permission));
const isIn = (tenant: string, reach: TenantReach) => reach === 'all' || reach.includes(tenant);

/** An API token acts where its permissions are: what its owner saved for themselves is not among them. */
const getReader = (session: Session): repository.ViewReader => ({
  user_id: session.api_token ? null : session.user.id,
  tenants: getTenantsWith(session, 'tenant:read'),
});

/** What is shared with a tenant may be changed by those who may change the policies of the whole tenant. */
const isEditable = (session: Session, { tenant_id }: { tenant_id: string | null }): boolean =>
  tenant_id === null || isIn(tenant_id, getTenantsWith(session, 'policy:write'));

const describeView = (session: Session, view: repository.FoundView): SavedView => ({
  ...view,
  editable: isEditable(session, view),
});

/** The views of the caller, and those shared with tenants that the caller sees. */
export async function listSavedViews(session: Session, input: SavedViewListInput): Promise<Page<SavedView>> {
  const page = await repository.listSavedViews(getReader(session), input);
  return { ...page, items: page.items.map((view) => describeView(session, view)) };
}

const audited = ({ page, name, query, tenant_id }: repository.SavedViewRow) => ({ page, name, query, tenant_id });

/**
 * The owner of a view: the caller, or a tenant that it is shared with.
 * @throws AppError `malformed` for a tenant that the caller does not see, `forbidden` where they may not share
 */
async function chooseViewOwner(tx: Tx, session: Session, tenant: string | null): Promise<repository.ViewOwner> {
  const reader = getReader(session);
  if (tenant === null) {
    if (reader.user_id !== null) return { user_id: reader.user_id, tenant_id: null };
    throw new AppError('forbidden', 'An API token has no views of its own. Share the view with a tenant.');
  }
  if (!isIn(tenant, reader.tenants) || !(await tenantExists(tx, tenant))) {
    throw new AppError('malformed', 'Tenant not found.', {
      errors: [{ field: 'tenant_id', message: 'Specify a tenant that you can see.' }],
    });
  }
  if (!isEditable(session, { tenant_id: tenant })) throw mayNotShare();
  return { user_id: null, tenant_id: tenant };
}

const mayNotShare = () =>
  new AppError(
    'forbidden',
    'Views shared with a tenant are changed by users with the permission policy:write for the whole tenant.',
    { extra: { permission: 'policy:write' } },
  );

/** @throws AppError `conflict` when the owner has a view of this name on the page, `refused` with too many views */
async function assertRoom(tx: Tx, owner: repository.ViewOwner, page: string, name: string, isNew: boolean) {
  if (await repository.viewNameTaken(tx, owner, page, name)) throw nameTaken('view', name);
  const most = owner.user_id === null ? MAX_SHARED : MAX_OWN;
  if (isNew && (await repository.countSavedViews(tx, owner)) >= most) {
    throw new AppError('refused', `There are ${most} saved views already. Delete some first.`);
  }
}

async function readStored(tx: Tx, session: Session, id: string): Promise<SavedView> {
  const view = await repository.findSavedView(tx, getReader(session), id);
  if (!view) throw new Error('expected the stored view to exist');
  return describeView(session, view);
}

/**
 * Saves a view, for the caller or for a tenant.
 * @throws AppError `conflict` for a name that is taken, `refused` with too many views, `malformed` and `forbidden` as for sharing
 */
export function createSavedView(session: Session, input: SavedViewInput): Promise<SavedView> {
  return db.transaction(async (tx) => {
    const { tenant_id, ...fields } = input;
    const owner = await chooseViewOwner(tx, session, tenant_id);
    await assertRoom(tx, owner, fields.page, fields.name, true);
    const id = newId();
    await repository.insertSavedView(tx, { id, ...fields, ...owner });
    const view = await readStored(tx, session, id);
    await recordAudit(
      tx,
      { actor: getActor(session), origin: session.origin },
      {
        action: 'saved_view.created',
        object_kind: 'saved_view',
        object_id: id,
        object_name: view.name,
        tenant_id: view.tenant_id,
        after: { page: view.page, name: view.name, query: view.query, tenant_id: view.tenant_id },
      },
    );
    return view;
  });
}

/** A view that the caller may change. @throws AppError `not_found`, `forbidden` for one that others share */
async function lockEditable(tx: Tx, session: Session, id: string): Promise<repository.SavedViewRow> {
  const row = await repository.lockSavedView(tx, getReader(session), id);
  if (!row) throw notFound('view');
  if (!isEditable(session, row)) throw mayNotShare();
  return row;
}

/**
 * Renames a view, saves other filters in it, shares it with a tenant, or takes it back for oneself. Without a change nothing is recorded.
 * @throws AppError `not_found`, `version_conflict`, and as `createSavedView`
 */
export function updateSavedView(session: Session, id: string, input: SavedViewUpdate): Promise<SavedView> {
  return db.transaction(async (tx) => {
    const row = await lockEditable(tx, session, id);
    const { version, tenant_id, ...fields } = input;
    assertVersion('view', row.version, version, { current: audited(row) });
    const owner =
      tenant_id === undefined || tenant_id === row.tenant_id ? row : await chooseViewOwner(tx, session, tenant_id);
    const changes = changedFields<repository.SavedViewRow, Partial<repository.SavedViewRow>>(row, {
      ...fields,
      user_id: owner.user_id,
      tenant_id: owner.tenant_id,
    });
    if (Object.keys(changes).length === 0) return readStored(tx, session, id);
    const next = { ...row, ...changes };
    if (owner !== row || next.name.toLowerCase() !== row.name.toLowerCase()) {
      await assertRoom(tx, owner, row.page, next.name, owner !== row);
    }
    await repository.updateSavedView(tx, id, { ...changes, version: row.version + 1 });
    const view = await readStored(tx, session, id);
    const record = (tenant_id: string | null, object_name: string, sides: { before?: object; after?: object }) =>
      recordAudit(
        tx,
        { actor: getActor(session), origin: session.origin },
        { action: 'saved_view.updated', object_kind: 'saved_view', object_id: id, object_name, tenant_id, ...sides },
      );
    const [before, after] = [audited(row), audited(next)];
    if (row.tenant_id !== null && next.tenant_id !== null && row.tenant_id !== next.tenant_id) {
      // Each tenant reads what it lost or got.
      await record(row.tenant_id, row.name, { before });
      await record(next.tenant_id, next.name, { after });
      // A view that is taken back from a tenant, or given to it: both times the tenant's administrators read of it.
    } else await record(next.tenant_id ?? row.tenant_id, next.name, { before, after });
    return view;
  });
}

/** @throws AppError `not_found`, `forbidden` for one that others share */
export function deleteSavedView(session: Session, id: string, version?: number): Promise<void> {
  return db.transaction(async (tx) => {
    const row = await lockEditable(tx, session, id);
    assertVersion('view', row.version, version);
    await repository.deleteSavedView(tx, id);
    await recordAudit(
      tx,
      { actor: getActor(session), origin: session.origin },
      {
        action: 'saved_view.deleted',
        object_kind: 'saved_view',
        object_id: id,
        object_name: row.name,
        tenant_id: row.tenant_id,
        before: audited(row),
      },
    );
  });
}
