// The reference, from the description of this very service. Nothing is loaded from anywhere else.
window.ui = window.SwaggerUIBundle({
  url: '/api/v2/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  docExpansion: 'list',
  // Tokens are forgotten with the page.
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
