export { connectTest, type TestClient, type TestClientOptions } from './client.js';
