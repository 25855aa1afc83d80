import { ProtectedConnections } from '@/features/policy-tests/protected-connections';
import { withTitle } from '@/lib/i18n/server';
import { msg } from '@/lib/i18n/translator';

export const generateMetadata = withTitle(msg('Protected connections'));

export default function ProtectedConnectionsPage() {
  return <ProtectedConnections />;
}
