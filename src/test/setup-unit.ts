process.env.LOG_LEVEL ??= 'silent';
// Before any module of ours reads the environment, which it does once.
process.env.FABRIC_SECRET_KEY = 'test-secret-key-test-secret-key-test-secret';
