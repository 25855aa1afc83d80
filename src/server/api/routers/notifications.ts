import { MarkNotificationsRead, NotificationListInput } from '@/domain/notifications/notification';
import { requireSession } from '../../auth/scope';
import { countUnread, listNotifications, markNotificationsRead } from '../../services/notifications/inbox';
import { ownProcedure, procedure, router } from '../trpc';

const OWN = "The caller's own notices: what they may read now, of what happened since they joined.";

export const notificationsRouter = router({
  list: ownProcedure(OWN)
    .input(NotificationListInput)
    .query(({ ctx, input }) => listNotifications(ctx.session, input)),
  unread: ownProcedure(OWN).query(({ ctx }) => countUnread(ctx.session)),
  markRead: procedure('notification:mark')
    .input(MarkNotificationsRead)
    .mutation(({ ctx, input }) => markNotificationsRead(ctx.scope, requireSession(ctx.session), input)),
});
