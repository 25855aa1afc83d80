import { z } from 'zod';
import { AllocateAddressInput } from '@/domain/ipam/ip-address';
import {
  AllocatePrefixInput,
  NextAddressesInput,
  NextPrefixInput,
  SubnetGridInput,
  SubnetInput,
  SubnetListInput,
  SubnetTreeInput,
  SubnetUpdate,
} from '@/domain/ipam/subnet';
import { allocateAddress } from '../../services/ipam/allocate-address';
import { allocatePrefix } from '../../services/ipam/allocate-prefix';
import { createSubnet } from '../../services/ipam/create-subnet';
import { deleteSubnet } from '../../services/ipam/delete-subnet';
import { listSubnets } from '../../services/ipam/list-subnets';
import { nextAddresses } from '../../services/ipam/next-addresses';
import { nextPrefix } from '../../services/ipam/next-prefix';
import { readSubnet } from '../../services/ipam/read-subnet';
import { readSubnetGrid } from '../../services/ipam/read-subnet-grid';
import { readSubnetTree } from '../../services/ipam/read-subnet-tree';
import { updateSubnet } from '../../services/ipam/update-subnet';
import { procedure, router } from '../trpc';

const byId = { id: z.uuid() };

export const subnetsRouter = router({
  list: procedure('ipam:read')
    .input(SubnetListInput)
    .query(({ ctx, input }) => listSubnets(ctx.scope, input)),
  get: procedure('ipam:read')
    .input(z.strictObject(byId))
    .query(({ ctx, input }) => readSubnet(ctx.scope, input.id)),
  tree: procedure('ipam:read')
    .input(SubnetTreeInput)
    .query(({ ctx, input }) => readSubnetTree(ctx.scope, input)),
  grid: procedure('ipam:read')
    .input(SubnetGridInput)
    .query(({ ctx, input }) => readSubnetGrid(ctx.scope, input)),
  create: procedure('ipam:write')
    .input(SubnetInput)
    .mutation(({ ctx, input }) => createSubnet(ctx.scope, input)),
  update: procedure('ipam:write')
    .input(SubnetUpdate.extend(byId))
    .mutation(({ ctx, input: { id, ...changes } }) => updateSubnet(ctx.scope, id, changes)),
  delete: procedure('ipam:write')
    .input(z.strictObject({ ...byId, version: z.int().optional(), with_addresses: z.boolean().optional() }))
    .mutation(({ ctx, input: { id, ...options } }) => deleteSubnet(ctx.scope, id, options)),
  nextAddresses: procedure('ipam:write')
    .input(NextAddressesInput.extend(byId))
    .query(({ ctx, input }) => nextAddresses(ctx.scope, input.id, input.count)),
  allocateAddress: procedure('ipam:write')
    .input(AllocateAddressInput.extend(byId))
    .mutation(({ ctx, input: { id, ...input } }) => allocateAddress(ctx.scope, id, input)),
  nextPrefix: procedure('ipam:write')
    .input(NextPrefixInput.extend(byId))
    .query(({ ctx, input }) => nextPrefix(ctx.scope, input.id, input.prefix_length)),
  allocatePrefix: procedure('ipam:write')
    .input(AllocatePrefixInput.extend(byId))
    .mutation(({ ctx, input: { id, ...input } }) => allocatePrefix(ctx.scope, id, input)),
});
