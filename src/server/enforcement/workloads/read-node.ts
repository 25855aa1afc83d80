import type { Node } from '@/domain/inventory';
import type { Scope } from '../../auth/scope';
import { findNode } from '../../inventory/queries/nodes';
import { notFound } from '../../lib/refusals';
import { listFailingNodes } from '../guest-firewall/failing-nodes';
import { withCompileFailure } from './node-compile-failure';

/** @throws AppError `not_found` */
export async function readNode(_scope: Scope<'cluster:read'>, id: string): Promise<Node> {
  const node = await findNode(id);
  if (!node) throw notFound('node');
  return withCompileFailure(node, await listFailingNodes());
}
