import { z } from 'zod';
import {
  AddressBulkDelete,
  AddressBulkUpdate,
  AddressInput,
  AddressListInput,
  AddressUpdate,
} from '@/domain/ipam/ip-address';
import { bulkDeleteAddresses, bulkUpdateAddresses } from '../../services/ipam/bulk-addresses';
import { createAddress } from '../../services/ipam/create-address';
import { deleteAddress } from '../../services/ipam/delete-address';
import { listAddressPolicies } from '../../services/ipam/list-address-policies';
import { listAddresses } from '../../services/ipam/list-addresses';
import { readAddress } from '../../services/ipam/read-address';
import { updateAddress } from '../../services/ipam/update-address';
import { procedure, router } from '../trpc';

const byId = { id: z.uuid() };

export const ipAddressesRouter = router({
  list: procedure('ipam:read')
    .input(AddressListInput)
    .query(({ ctx, input }) => listAddresses(ctx.scope, input)),
  get: procedure('ipam:read')
    .input(z.strictObject(byId))
    .query(({ ctx, input }) => readAddress(ctx.scope, input.id)),
  policies: procedure('policy:read')
    .input(z.strictObject(byId))
    .query(({ ctx, input }) => listAddressPolicies(ctx.scope, input.id)),
  create: procedure('ipam:write')
    .input(AddressInput)
    .mutation(({ ctx, input }) => createAddress(ctx.scope, input)),
  update: procedure('ipam:write')
    .input(AddressUpdate.extend(byId))
    .mutation(({ ctx, input: { id, ...changes } }) => updateAddress(ctx.scope, id, changes)),
  delete: procedure('ipam:write')
    .input(z.strictObject({ ...byId, version: z.int().optional() }))
    .mutation(({ ctx, input }) => deleteAddress(ctx.scope, input.id, input.version)),
  bulkUpdate: procedure('ipam:write')
    .input(AddressBulkUpdate)
    .mutation(({ ctx, input }) => bulkUpdateAddresses(ctx.scope, input)),
  bulkDelete: procedure('ipam:write')
    .input(AddressBulkDelete)
    .mutation(({ ctx, input }) => bulkDeleteAddresses(ctx.scope, input)),
});
