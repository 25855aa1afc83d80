import { Forwarding } from '@/features/settings/forwarding/forwarding';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Log forwarding'));

export default function ForwardingPage() {
  return <Forwarding />;
}
