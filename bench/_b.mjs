import { createServer } from 'node:http';
const info={name:'x',version:'1'};
createServer((request, response) => {
  const chunks = [];
  request.on('data', c => chunks.push(c));
  request.on('end', () => { const body = chunks.length===1?chunks[0]:Buffer.concat(chunks); const m = JSON.parse(body.toString());
  const meta = { 'io.modelcontextprotocol/serverInfo': info };
  const text = JSON.stringify({ jsonrpc:'2.0', id:m.id, result: m.method==='initialize'?{protocolVersion:'2025-11-25',capabilities:{},serverInfo:info}: {resultType:'complete', content:[{type:'text',text:m.params.arguments.message}], _meta: meta} });
  const h={'content-type':'application/json','content-length':Buffer.byteLength(text)}; if (m.method==='initialize') h['mcp-session-id']='abc';
  response.writeHead(200,h).end(text); });
}).listen(+(process.argv[2] ?? 4777),'127.0.0.1');
