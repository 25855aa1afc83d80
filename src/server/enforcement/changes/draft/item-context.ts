import type { ChangeItem } from '@/domain/change/items';
import type { ManagedBy } from '@/domain/managed-source';
import type { Owned, Reach } from '@/domain/permissions';
import { authorize, type Scope, type Session } from '../../../auth/scope';
import type { Tx } from '../../../db/client';
import { notFound } from '../../../lib/refusals';

/** What the items of a change are made from. @property former the items that they replace, some of which may create objects */
export type ItemContext = {
  readonly tx: Tx;
  /** Of what the caller may edit, or of what the caller may apply as it is stored. */
  readonly scope: { readonly reach: Reach };
  readonly session: Session;
  readonly former: readonly ChangeItem[];
  /** The source that the edits come from. */
  readonly managed_by?: ManagedBy | null;
  /** They come from a policy file, which may keep what has expired since it was written. */
  readonly isFile?: boolean;
};

/** An item with the owners whose rules it changes: of an object that moves to another project, both. */
export type NormalItem<K extends ChangeItem['kind']> = {
  readonly item: Extract<ChangeItem, { kind: K }>;
  readonly owners: readonly Owned[];
};

/** Groups need a permission of their own. @throws AppError `forbidden` */
export const authorizeGroups = ({ session }: ItemContext): Scope<'group:write'> => authorize(session, 'group:write');

/** So do policy tests. @throws AppError `forbidden` */
export const authorizeTests = ({ session }: ItemContext): Scope<'policy_test:write'> =>
  authorize(session, 'policy_test:write');

/** The answer to an object of an item that does not exist or is not visible to the caller. */
export const objectNotFound = (what: 'policy' | 'group' | 'policy test', at: number) =>
  notFound(what, [{ field: `items.${at}.${what.replace(' ', '_')}_id`, message: `The ${what} was not found.` }]);
