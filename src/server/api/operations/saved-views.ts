import { SavedView, SavedViewInput, SavedViewListInput, SavedViewPage, SavedViewUpdate } from '@/domain/saved-view';
import { createSavedView, deleteSavedView, listSavedViews, updateSavedView } from '../../access/account/saved-views';
import { ByVersion, operations } from '../operation';
import { router } from '../trpc';

const { query, mutation } = operations('Account');
const access = {
  signedIn: "The caller's own views, and those shared with tenants that the caller sees (tenant:read).",
} as const;
const writing = {
  signedIn: 'Own views are changed by their user, shared ones with policy:write for the whole tenant.',
} as const;

export const savedViewsRouter = router({
  list: query({
    rest: 'GET /saved-views',
    summary: 'List your saved views, and those shared with your tenants.',
    access,
    input: SavedViewListInput,
    output: SavedViewPage,
    run: ({ session, input }) => listSavedViews(session, input),
  }),
  create: mutation({
    rest: 'POST /saved-views',
    summary: 'Save the filters of a page under a name, for yourself or shared with a tenant.',
    access: writing,
    input: SavedViewInput,
    output: SavedView,
    status: 201,
    run: ({ session, input }) => createSavedView(session, input),
  }),
  update: mutation({
    rest: 'PATCH /saved-views/{saved_view_id}',
    summary: 'Rename a saved view, store other filters in it, share it with a tenant, or make it your own again.',
    access: writing,
    input: SavedViewUpdate,
    output: SavedView,
    run: ({ session, params, input }) => updateSavedView(session, params.saved_view_id, input),
  }),
  delete: mutation({
    rest: 'DELETE /saved-views/{saved_view_id}',
    summary: 'Delete a saved view.',
    access: writing,
    input: ByVersion,
    run: ({ session, params, input }) => deleteSavedView(session, params.saved_view_id, input.version),
  }),
});
