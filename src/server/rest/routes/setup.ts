import { SetupInput, SetupResult, SetupStatus } from '@/domain/setup';
import { completeSetup, readSetupStatus } from '../../operation/setup/complete-setup';
import { defineRoute } from '../define-route';

export const setupRoutes = [
  defineRoute({
    method: 'GET',
    path: '/setup/status',
    summary: 'Whether the first administrator exists, and whether making one needs the setup code.',
    tag: 'Setup',
    access: { open: 'Before the first account nobody can sign in.' },
    response: { status: 200, schema: SetupStatus },
    handler: ({ scope }) => readSetupStatus(scope),
  }),
  defineRoute({
    method: 'POST',
    path: '/setup/complete',
    summary: 'Create the first administrator and, when given, the first cluster. Works once.',
    tag: 'Setup',
    access: { open: 'Before the first account nobody can sign in; the setup code protects it.' },
    body: SetupInput,
    response: { status: 201, schema: SetupResult },
    handler: ({ scope, body }) => completeSetup(scope, body),
  }),
];
