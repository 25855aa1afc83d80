import { giveFileItsDatabase } from './database';

process.env.FABRIC_SECRET_KEY = 'test-secret-key-test-secret-key-test-secret';
process.env.LOG_LEVEL ??= 'silent';
await giveFileItsDatabase();
