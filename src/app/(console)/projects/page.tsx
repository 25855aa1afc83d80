import type { Metadata } from 'next';
import { ProjectList } from '@/features/administration/projects/project-list';

export const metadata: Metadata = { title: 'Projects' };

export default function ProjectsPage() {
  return <ProjectList />;
}
