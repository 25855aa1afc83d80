import { redirect } from 'next/navigation';
import { paths } from '@/lib/paths';

/** Until there is more to see at a glance, the clusters are the place to begin. */
export default function HomePage() {
  redirect(paths.clusters());
}
