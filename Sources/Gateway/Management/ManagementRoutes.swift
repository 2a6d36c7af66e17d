import HubEngine

extension HTTPRoute {
    /// What administrators call: settings, inspection, and everything under `/.hub/v1`.
    package static func management(_ hub: Hub, version: String, isDevelopment: Bool) -> [HTTPRoute] {
        let management = Management(hub: hub, version: version, isDevelopment: isDevelopment)
        return [management.rulesRoute, management.settingsRoute, management.hubRoute]
    }
}
